import { z } from 'zod';
import { defineRpc } from './define.ts';
import { line, routesOf, serverAddress, text } from './http.ts';
import { defineSettings, setting } from './settings.ts';

export const providerKinds = ['faster-whisper', 'sherpa-onnx', 'pocketsphinx', 'openai-compatible'] as const;
/** What an engine makes of speech: words in the spoken language, or in English. */
export const speechTasks = ['transcribe', 'translate'] as const;
export type SpeechTask = (typeof speechTasks)[number];

/** One engine that may recognise speech. The first one in the list that fits a recording is used, then the next one. */
const providerFields = {
  id: z.uuid(),
  name: line(100).min(1),
  kind: z.enum(providerKinds),
  enabled: z.boolean(),
  /** Offered as a choice when a file is uploaded. */
  selectable: z.boolean(),
  /** Primary language codes; empty: those of the engine. */
  languages: z.array(z.string().regex(/^[a-z]{2,3}$/)).max(200),
  /** faster-whisper, sherpa-onnx: the id of an installed model, empty for the first one. OpenAI-compatible: the name of the model. */
  model: text(200),
  /** OpenAI-compatible: the address up to `/audio/transcriptions`; else empty. */
  base_url: z.union([z.literal(''), serverAddress]),
  /** Names and terms that the engine should expect. */
  vocabulary: z.array(text(60).trim().min(1)).max(200),
  /** Concurrent requests for one recording. */
  parallel_requests: z.int().min(1).max(64),
  timeout_seconds: z.int().min(5).max(3_600),
  /** Longer recordings go to the next provider; null: no limit. */
  max_audio_seconds: z.int().min(1).max(1_000_000).nullable(),
};
export const asrProvider = z.object(providerFields);
export type AsrProvider = z.infer<typeof asrProvider>;
/** undefined: the stored key, null: none. */
const newKey = text(4_096).min(1).nullable().optional();
const providerInput = asrProvider.extend({ api_key: newKey }).strict();
export type AsrProviderInput = z.infer<typeof providerInput>;
const maxProviders = 20;

/** The providers as they are stored, with one sealed key for each of these ids. */
export function asrSettings(ids: readonly string[]) {
  const keys = Object.fromEntries(ids.map((id) => [`key-${id}`, setting.secret({ max: 4_096 })]));
  return defineSettings('asr', { providers: setting.list(z.array(asrProvider).max(maxProviders)), ...keys });
}

/** How a provider does on one worker. */
export const providerState = z.object({
  /** null: an engine of the worker's environment, used while no provider is stored. */
  id: z.uuid().nullable(),
  kind: z.string(),
  model: z.string(),
  ready: z.boolean(),
  why: z.string().nullable(),
  translates: z.boolean(),
});
export type ProviderState = z.infer<typeof providerState>;

const route = routesOf('transcription-dispatcher');
const answer = z.object({
  providers: z.array(asrProvider.extend({ api_key: z.null(), api_key_is_set: z.boolean() })),
  /** Of the stored list; a change must be based on the current one. */
  revision: z.string(),
  workers: z.array(z.object({ id: z.string(), engines: z.array(providerState) })),
});
/** What an engine made of the bundled sample. */
const testResult = z.object({
  ok: z.boolean(),
  error_code: z.string().nullable(),
  error: z.string().nullable(),
  text: z.string(),
  language: z.string().nullable(),
  seconds: z.number(),
});
export type ProviderTest = z.infer<typeof testResult>;

export const asrRoutes = {
  asrProviders: route('GET', '/api/admin/asr-providers', 'super_admin', {
    summary: 'Engines that recognise speech, in the order of their use; keys are null with is_set',
    answer,
  }),
  updateAsrProviders: route('PUT', '/api/admin/asr-providers', 'super_admin', {
    summary: 'Replace the list; an empty one returns to the environment of the workers',
    body: z.strictObject({
      revision: z.string().max(64),
      providers: z.array(providerInput).max(maxProviders),
      /** Saves also a list of which no worker can use a provider now. */
      accept_not_ready: z.boolean().optional(),
    }),
    answer,
    errors: ['settings_invalid', 'settings_changed', 'secret_required', 'no_provider_ready'],
  }),
  testAsrProvider: route('POST', '/api/admin/asr-providers/test', 'super_admin', {
    summary: 'Let a worker recognise a short sample with this provider, saved or not; nothing is stored',
    body: z.strictObject({ provider: providerInput }),
    answer: testResult,
    errors: ['settings_invalid', 'secret_required'],
  }),
};

/** A provider with its key. Only the worker receives it: it alone may send these requests. */
const providerWithKey = asrProvider.extend({ api_key: z.string().nullable() });
export type AsrProviderWithKey = z.infer<typeof providerWithKey>;
export const asrRpc = {
  providers: defineRpc('transcription-dispatcher', 'asr-providers', {
    request: z.object({}),
    reply: z.object({ providers: z.array(providerWithKey) }),
    timeoutMs: 2_000,
  }),
};
export const asrWorkerRpc = {
  testProvider: defineRpc('transcription-worker', 'test-asr-provider', {
    request: z.object({ provider: providerWithKey }),
    reply: testResult,
    timeoutMs: 110_000,
    longRunning: true,
  }),
  /** Whether the worker could use the enabled ones of these providers, saved or not. */
  checkProviders: defineRpc('transcription-worker', 'check-asr-providers', {
    request: z.object({ providers: z.array(providerWithKey) }),
    reply: z.object({ engines: z.array(providerState) }),
    timeoutMs: 10_000,
  }),
};
