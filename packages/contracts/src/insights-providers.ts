import { z } from 'zod';
import { line, routesOf, serverAddress, text, time } from './http.ts';
import { defineSettings, setting, settingChanges, settingsAnswer } from './settings.ts';

export const modelProviderKinds = ['openai', 'openai-compatible', 'ollama', 'anthropic'] as const;
export type ModelProviderKind = (typeof modelProviderKinds)[number];

/** The range of a context window; smaller ones have no room for instructions, a passage and an answer. */
export const contextTokenRange = { min: 2_048, max: 2_000_000 } as const;

const providerFields = {
  name: line(100).min(1),
  kind: z.enum(modelProviderKinds),
  /** Empty: the public address of OpenAI or Anthropic. Up to `/chat/completions`, `/messages` or `/api/chat`. */
  base_url: z.union([z.literal(''), serverAddress]),
  model: text(200).trim().min(1),
  /** Tokens of prompt and answer together; null: what the server reports. */
  context_tokens: z.int().min(contextTokenRange.min).max(contextTokenRange.max).nullable(),
  /** Concurrent requests of all files and people. */
  max_parallel: z.int().min(1).max(64),
  /** A request ends when the server has sent nothing for this time. */
  timeout_seconds: z.int().min(5).max(3_600),
};
/** undefined: the stored key, null: none. */
const newKey = text(4_096).min(1).nullable().optional();
const providerInput = z.strictObject({ ...providerFields, api_key: newKey });
export type ModelProviderInput = z.infer<typeof providerInput>;
/** A provider that is tested before it is saved; with the id of a stored one its key is used. */
const unsavedProvider = providerInput.extend({ uuid: z.uuid().optional() });
export const maxModelProviders = 20;

const providerObject = z.object({
  uuid: z.uuid(),
  ...providerFields,
  api_key: z.null(),
  api_key_is_set: z.boolean(),
  /** The one that is used; at most one. */
  is_active: z.boolean(),
  /** The window that requests are made for: as entered, as the server reports it, or the usual one of the kind. */
  effective_context_tokens: z.int(),
  context_source: z.enum(['entered', 'server', 'usual']),
  /** Requests wait until then, because the server asked for it or failed several times. */
  paused_until: time.nullable(),
  pause_code: z.string().nullable(),
  /** The last connection test of the saved provider. */
  last_tested: time.nullable(),
  test_ok: z.boolean().nullable(),
  test_message: z.string().nullable(),
  created_at: time,
  updated_at: time,
});
export type ModelProviderObject = z.infer<typeof providerObject>;

export const insightsGroup = defineSettings('insights', {
  /** Summary, topics and speaker names after every transcription. */
  automatic: setting.flag({ default: true }),
  /** People may use language models of their own. */
  own_providers: setting.flag({ default: false }),
});

const providerList = z.object({ providers: z.array(providerObject) });
const testResult = z.object({
  ok: z.boolean(),
  error_code: z.string().nullable(),
  message: z.string(),
  /** From the request to the end of a short answer. */
  response_time_ms: z.int().nullable(),
  /** As the server reports it; null: it does not. */
  context_tokens: z.int().nullable(),
});
export type ModelProviderTest = z.infer<typeof testResult>;
/** A failure of the server is part of the answer, like that of a connection test. */
const modelList = z.object({
  error_code: z.string().nullable(),
  message: z.string().nullable(),
  models: z.array(z.object({ id: z.string(), context_tokens: z.int().nullable() })),
});
export type ModelProviderList = z.infer<typeof modelList>;
const usageRow = z.object({
  /** The person or the file, as grouped; null: no person (system) or no file. */
  uuid: z.uuid().nullable(),
  /** Of a person; null: unknown or deleted. */
  name: z.string().nullable(),
  provider: z.string(),
  model: z.string(),
  requests: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
});
const usageQuery = { days: z.coerce.number().int().min(1).max(366).default(30) };

const saveErrors = ['settings_invalid', 'secret_required', 'provider_name_taken', 'provider_limit'] as const;
const route = routesOf('insights');

/** The language models of everyone. */
const systemRoutes = {
  systemModelProviders: route('GET', '/api/admin/llm-settings', 'super_admin', {
    summary: 'Language models for everyone; keys are null with is_set',
    answer: settingsAnswer.extend(providerList.shape),
  }),
  updateInsightsSettings: route('PUT', '/api/admin/llm-settings', 'super_admin', {
    summary: 'What is done automatically, and whether people may use language models of their own',
    body: settingChanges(insightsGroup),
    answer: settingsAnswer,
  }),
  createSystemModelProvider: route('POST', '/api/admin/llm-settings', 'super_admin', {
    summary: 'Add a language model for everyone; the first one becomes active',
    body: providerInput,
    answer: providerObject,
    status: 201,
    errors: saveErrors,
  }),
  updateSystemModelProvider: route('PUT', '/api/admin/llm-settings/config/{uuid}', 'super_admin', {
    summary: 'Change a language model; without api_key the stored key stays',
    body: providerInput,
    answer: providerObject,
    errors: ['not_found', ...saveErrors],
  }),
  deleteSystemModelProvider: route('DELETE', '/api/admin/llm-settings/config/{uuid}', 'super_admin', {
    summary: 'Remove a language model and its key',
    status: 204,
    errors: ['not_found'],
  }),
  activateSystemModelProvider: route('POST', '/api/admin/llm-settings/set-active', 'super_admin', {
    summary: 'Choose the language model for everyone; null: none',
    body: z.strictObject({ configuration_id: z.uuid().nullable() }),
    answer: providerList,
    errors: ['not_found'],
  }),
  testSystemModelProvider: route('POST', '/api/admin/llm-settings/test', 'super_admin', {
    summary: 'Send a short request to a language model, saved or not',
    body: unsavedProvider,
    answer: testResult,
    errors: ['not_found', 'settings_invalid', 'secret_required'],
  }),
  listSystemModels: route('POST', '/api/admin/llm-settings/models', 'super_admin', {
    summary: 'The models of a server, with their context windows where it reports them',
    body: unsavedProvider.extend({ model: text(200) }),
    answer: modelList,
    errors: ['not_found', 'settings_invalid', 'secret_required'],
  }),
  modelUsage: route('GET', '/api/admin/llm-settings/usage', 'super_admin', {
    summary: 'Requests and tokens of the last days, the largest first, by person or by file',
    query: z.object({ ...usageQuery, group_by: z.enum(['user', 'file']).default('user') }),
    answer: z.object({ items: z.array(usageRow) }),
  }),
};

/** The language models of one person, where the administrator allows them. */
const ownRoutes = {
  ownModelProviders: route('GET', '/api/llm-settings', 'user', {
    summary: 'Your own language models; keys are null with is_set',
    answer: providerList.extend({ allowed: z.boolean() }),
  }),
  createOwnModelProvider: route('POST', '/api/llm-settings', 'user', {
    summary: 'Add a language model of your own; the first one becomes active',
    body: providerInput,
    answer: providerObject,
    status: 201,
    errors: ['own_providers_not_allowed', ...saveErrors],
  }),
  updateOwnModelProvider: route('PUT', '/api/llm-settings/config/{uuid}', 'user', {
    summary: 'Change a language model of your own; without api_key the stored key stays',
    body: providerInput,
    answer: providerObject,
    errors: ['not_found', 'own_providers_not_allowed', ...saveErrors],
  }),
  deleteOwnModelProvider: route('DELETE', '/api/llm-settings/config/{uuid}', 'user', {
    summary: 'Remove a language model of your own and its key',
    status: 204,
    errors: ['not_found'],
  }),
  activateOwnModelProvider: route('POST', '/api/llm-settings/set-active', 'user', {
    summary: 'Choose which of your language models is used; null: the one of the system',
    body: z.strictObject({ configuration_id: z.uuid().nullable() }),
    answer: providerList,
    errors: ['not_found', 'own_providers_not_allowed'],
  }),
  testOwnModelProvider: route('POST', '/api/llm-settings/test', 'user', {
    summary: 'Send a short request to a language model of your own, saved or not',
    body: unsavedProvider,
    answer: testResult,
    errors: ['not_found', 'own_providers_not_allowed', 'settings_invalid', 'secret_required'],
  }),
  listOwnModels: route('POST', '/api/llm-settings/models', 'user', {
    summary: 'The models of a server, with their context windows where it reports them',
    body: unsavedProvider.extend({ model: text(200) }),
    answer: modelList,
    errors: ['not_found', 'own_providers_not_allowed', 'settings_invalid', 'secret_required'],
  }),
};

export const modelStatus = z.object({
  available: z.boolean(),
  /** Whose language model is used. */
  source: z.enum(['own', 'system']).nullable(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  /** The server that receives passages of transcripts. */
  host: z.string().nullable(),
  context_tokens: z.int().nullable(),
  paused_until: time.nullable(),
  pause_code: z.string().nullable(),
  own_providers_allowed: z.boolean(),
});

export const modelProviderRoutes = {
  ...systemRoutes,
  ...ownRoutes,
  modelStatus: route('GET', '/api/llm/status', 'user', {
    summary: 'Which language model is used for you, and where passages of transcripts are sent',
    answer: modelStatus,
  }),
};
