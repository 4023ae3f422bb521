import { z } from 'zod';
import { pageOf, pageQuery, queryFlag, routesOf, text, time } from './http.ts';
import { defineSettings, setting, settingChanges, settingsAnswer } from './settings.ts';

const route = routesOf('insights');

/** Kinds of recordings with a prompt of their own, and the identification of speakers. */
export const promptContentTypes = [
  'meeting',
  'interview',
  'podcast',
  'documentary',
  'general',
  'speaker_identification',
] as const;
export type PromptContentType = (typeof promptContentTypes)[number];
const contentType = z.enum(promptContentTypes);

export const promptLimits = {
  name: 100,
  description: 500,
  text: 20_000,
  tags: 20,
  tag: 50,
  /** Prompts of one person. */
  own: 200,
  organisationContext: 10_000,
} as const;

/** Facts about the organisation, such as names, products and abbreviations: part of every request to a language model. */
export const promptsGroup = defineSettings('prompts', {
  organisation_context: setting.line(text(promptLimits.organisationContext).trim(), {
    default: '',
    max: promptLimits.organisationContext,
  }),
});

const promptItem = z.object({
  uuid: z.uuid(),
  name: z.string(),
  description: z.string(),
  content_type: contentType,
  tags: z.array(z.string()),
  /** Built in: the same for everybody, and read-only. */
  is_system: z.boolean(),
  is_own: z.boolean(),
  is_shared: z.boolean(),
  /** Used for the caller's recordings of this kind. */
  is_active: z.boolean(),
  /** Null for a built-in prompt, and while the name is unknown. */
  owner_name: z.string().nullable(),
  created_at: time.nullable(),
  updated_at: time.nullable(),
});
export const promptObject = promptItem.extend({ text: z.string() });
export type PromptItem = z.infer<typeof promptItem>;
export type PromptObject = z.infer<typeof promptObject>;

const fields = {
  name: text(promptLimits.name).trim().min(1),
  description: text(promptLimits.description).trim(),
  text: text(promptLimits.text).trim().min(1),
  content_type: contentType,
  tags: z.array(text(promptLimits.tag).trim().min(1)).max(promptLimits.tags),
};
const newPrompt = z.strictObject({
  ...fields,
  description: fields.description.default(''),
  content_type: contentType.default('general'),
  tags: fields.tags.default([]),
});

const filter = {
  q: text(100).optional(),
  content_type: contentType.optional(),
  include_system: queryFlag.default(true),
  include_user: queryFlag.default(true),
  include_shared: queryFlag.default(true),
};

const activePrompt = z.object({
  content_type: contentType,
  prompt: promptItem,
  /** The chosen prompt was deleted or is no longer shared; the built-in one is used. */
  is_fallback: z.boolean(),
});

export const promptRoutes = {
  prompts: route('GET', '/api/prompts', 'user', {
    summary: 'Built-in, own and shared prompts without their texts, in this order and then by name',
    query: z.object({ ...pageQuery, ...filter }),
    answer: pageOf(promptItem),
  }),
  createPrompt: route('POST', '/api/prompts', 'user', {
    summary: 'Create a prompt; other people see it when it is shared',
    body: newPrompt,
    answer: promptObject,
    status: 201,
    errors: ['too_many_prompts'],
  }),
  prompt: route('GET', '/api/prompts/{uuid}', 'user', {
    summary: 'A prompt with its text',
    answer: promptObject,
  }),
  updatePrompt: route('PUT', '/api/prompts/{uuid}', 'user', {
    summary: 'Change an own prompt; summaries made before stay as they are',
    body: z.strictObject(fields).partial(),
    answer: promptObject,
    errors: ['prompt_read_only'],
  }),
  deletePrompt: route('DELETE', '/api/prompts/{uuid}', 'user', {
    summary: 'Delete an own prompt; who used it gets the built-in one',
    errors: ['prompt_read_only'],
  }),
  promptsByContentType: route('GET', '/api/prompts/by-content-type/{content_type}', 'user', {
    summary: 'The prompts of one kind of recording',
    params: z.object({ content_type: contentType }),
    query: z.object({ ...pageQuery }),
    answer: pageOf(promptItem),
  }),
  activePrompts: route('GET', '/api/prompts/active/current', 'user', {
    summary: 'The prompt that is used for the caller, by kind of recording',
    answer: z.object({ items: z.array(activePrompt) }),
  }),
  setActivePrompt: route('POST', '/api/prompts/active/set', 'user', {
    summary: 'Use this prompt for the caller’s recordings of its kind',
    body: z.strictObject({ prompt_uuid: z.uuid() }),
    answer: activePrompt,
    errors: ['not_found'],
  }),
  promptLibrary: route('GET', '/api/prompts/shared/library', 'user', {
    summary: 'The prompts that people have shared with everybody',
    query: z.object({ ...pageQuery, q: filter.q, content_type: filter.content_type }),
    answer: pageOf(promptItem),
  }),
  togglePromptSharing: route('POST', '/api/prompts/shared/{uuid}/toggle', 'user', {
    summary: 'Share an own prompt with everybody, or withdraw it',
    answer: promptObject,
    errors: ['prompt_read_only'],
  }),
  organisationContext: route('GET', '/api/admin/organisation-context', 'super_admin', {
    summary: 'The context of the organisation, a part of every request to a language model',
    answer: settingsAnswer,
  }),
  updateOrganisationContext: route('PUT', '/api/admin/organisation-context', 'super_admin', {
    summary: 'Change the context of the organisation; null removes it',
    body: settingChanges(promptsGroup),
    answer: settingsAnswer,
  }),
};
