import { z } from 'zod';
import { defineJob, defineRpc } from './define.ts';
import { routesOf, text, time } from './http.ts';

const name = text(100).regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);
const kind = z.enum(['asr', 'vad', 'segmentation', 'embedding', 'sentences', 'names']);

/** Figures of a model on a labelled set; rates are fractions. */
export const modelEvaluation = z.object({
  set: z.string(),
  at: time,
  recordings: z.int(),
  audio_seconds: z.number(),
  words: z.int(),
  /** Word error rate with its 95 % confidence interval. */
  wer: z.object({ value: z.number(), low: z.number(), high: z.number() }).nullable(),
  /** Diarization error rate. */
  der: z.object({ value: z.number(), collar_s: z.number(), method: z.string() }).nullable(),
  real_time_factor: z.number(),
  peak_memory_mib: z.int().nullable(),
  sctk: z.object({ wer: z.number().nullable(), der: z.number().nullable() }).nullable(),
  cores: z.int(),
});

/** A model in the folder of the workers. */
export const installedModel = z.object({
  name: z.string(),
  kind,
  family: z.string().nullable(),
  languages: z.array(z.string()),
  licence: z.string().nullable(),
  bytes: z.int(),
  origin: z.enum(['catalogue', 'manifest', 'import']).nullable(),
  verified_at: time.nullable(),
  /** Why it is not loaded; null: its files are those that were verified. */
  fault: z.string().nullable(),
  evaluation: modelEvaluation.nullable(),
});
export const catalogueModel = z.object({
  name: z.string(),
  title: z.string(),
  kind,
  family: z.string(),
  languages: z.array(z.string()),
  licence: z.object({ name: z.string(), url: z.string(), acceptance: z.boolean(), notice: z.string().optional() }),
  purpose: z.string(),
  bytes: z.int(),
  download_bytes: z.int(),
  memory_mib: z.int(),
  cpu_real_time_factor: z.number().nullable(),
});
/** Progress or result of the last pull or verification of a model. */
export const modelTask = z.object({
  name: z.string(),
  state: z.enum(['running', 'done', 'failed']),
  received_bytes: z.int(),
  total_bytes: z.int(),
  error_code: z.string().nullable(),
  error: z.string().nullable(),
  at: time,
});

/** The fetch of the speech model that the launcher started. */
export const speechSetup = z.object({
  state: z.enum(['running', 'done', 'failed']),
  /** What is being fetched: the Python environment, the speech model, those for speakers and search. */
  step: z.enum(['environment', 'model', 'further']),
  model: z.string(),
  received_bytes: z.int(),
  total_bytes: z.int(),
  error: z.string().nullable(),
  began_at: time,
  at: time,
});

const overview = z.object({
  /** The folder, as the worker names it. */
  folder: z.string(),
  installed: z.array(installedModel),
  catalogue: z.array(catalogueModel),
  tasks: z.array(modelTask),
  /** What suits the machine of the worker. */
  suggestion: z.object({ text: z.string(), name: z.string().nullable() }),
  /** Null where nothing was fetched. */
  speech_setup: speechSetup.nullable(),
});

export const modelRpc = {
  /** The models of the worker that receives it; workers share one folder. */
  models: defineRpc('transcription-worker', 'models', { request: z.object({}), reply: overview, timeoutMs: 10_000 }),
  removeModel: defineRpc('transcription-worker', 'remove-model', {
    request: z.object({ name }),
    reply: z.object({ removed: z.boolean() }),
    timeoutMs: 15_000,
    longRunning: true,
  }),
};

/** Both are fenced by the lock of the model folder; their result is in the folder, beside the models. */
export const modelJobs = {
  pull: defineJob('job.download.transcription.pull_model', {
    input: z.object({ name, acceptLicence: z.boolean() }),
    output: z.object({}),
    attempts: 5,
    fencedBy: 'handler',
  }),
  verify: defineJob('job.download.transcription.verify_model', {
    input: z.object({ name }),
    output: z.object({}),
    attempts: 5,
    fencedBy: 'handler',
  }),
};

const route = routesOf('transcription-dispatcher');
const params = z.object({ name });
const queued = z.object({ queued: z.literal(true) });
export const modelRoutes = {
  models: route('GET', '/api/admin/models', 'admin', {
    summary: 'Installed models, models of the catalogue, and pulls with their progress',
    answer: overview,
    errors: ['engine_missing'],
  }),
  pullModel: route('POST', '/api/admin/models/{name}/pull', 'super_admin', {
    summary: 'Download, verify and install a model of the catalogue; continues an interrupted pull',
    params,
    body: z.strictObject({ accept_licence: z.boolean().default(false) }),
    answer: queued,
    status: 202,
    errors: ['engine_missing', 'licence_required', 'pull_running', 'broker_unavailable'],
  }),
  verifyModel: route('POST', '/api/admin/models/{name}/verify', 'super_admin', {
    summary: 'Hash the files of an installed model again; records the hashes of one that was copied into the folder',
    params,
    answer: queued,
    status: 202,
    errors: ['engine_missing', 'broker_unavailable'],
  }),
  removeModel: route('DELETE', '/api/admin/models/{name}', 'super_admin', {
    summary: 'Delete an installed model, or stop its pull and delete what it downloaded',
    params,
    answer: z.object({ removed: z.literal(true) }),
    errors: ['engine_missing'],
  }),
};
