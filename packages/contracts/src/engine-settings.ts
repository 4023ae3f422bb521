import { z } from 'zod';
import { defineRpc } from './define.ts';
import { computeTypes } from './gpu.ts';
import { routesOf } from './http.ts';
import { queueLimits } from './queue-limits.ts';
import {
  defineSettings,
  setting,
  settingChanges,
  settingSources,
  settingsAnswer,
  settingValue,
  type SettingValues,
} from './settings.ts';

/** How the workers use speech engines. Variables are those of the worker's environment. */
export const engineSettings = defineSettings('engine', {
  /** Pieces of a recording that are recognised concurrently. */
  batch_size: setting.countOrAuto({ default: 'auto', range: [1, 128], variable: 'BATCH_SIZE' }),
  compute_type: setting.choice({ default: 'auto', choices: ['auto', ...computeTypes], variable: 'COMPUTE_TYPE' }),
  /** Transcription on the CPU, diarization on the GPU: when the GPU is too small for both, always or never. */
  hybrid_mode: setting.choice({
    default: 'auto',
    choices: ['auto', 'true', 'false'],
    variable: 'WHISPER_HYBRID_MODE',
  }),
  /** Recordings that a worker transcribes concurrently. */
  gpu_concurrency: setting.count({
    default: queueLimits.gpu.concurrency,
    range: [1, 64],
    variable: 'GPU_CONCURRENT_REQUESTS',
  }),
  /** Slots beyond that which only take short recordings (docs/adr/0012). */
  express_slots: setting.count({ default: 0, range: [0, 8], variable: 'GPU_EXPRESS_SLOTS' }),
  /** Recordings beyond both that a worker has at OpenAI-compatible servers: they only wait, and keep no other one waiting. */
  remote_concurrency: setting.count({ default: 4, range: [1, 64], variable: 'ASR_REMOTE_CONCURRENCY' }),
  /** Processor threads, or concurrent decoders, of one transcription. */
  threads: setting.countOrAuto({ default: 'auto', range: [1, 64], variable: 'ASR_THREADS' }),
  /** Tasks after which a process that holds a model is replaced. */
  recycle_after_tasks: setting.count({
    default: queueLimits.gpu.recycleAfter,
    range: [1, 1_000_000],
    unit: 'tasks',
    variable: 'GPU_RECYCLE_AFTER_TASKS',
  }),
  /** Probability of speech above which the voice activity model reports speech. */
  vad_threshold: setting.measure({ default: 0.5, range: [0.05, 0.95], variable: 'VAD_THRESHOLD' }),
  vad_min_silence_s: setting.measure({
    default: 0.5,
    range: [0.05, 5],
    unit: 'seconds',
    variable: 'VAD_MIN_SILENCE_SECONDS',
  }),
  vad_min_speech_s: setting.measure({
    default: 0.25,
    range: [0.05, 5],
    unit: 'seconds',
    variable: 'VAD_MIN_SPEECH_SECONDS',
  }),
  /** Bounds of the number of speakers for recordings without bounds of their own. */
  min_speakers: setting.countOrAuto({ default: 'auto', range: [1, 50], unit: 'speakers', variable: 'MIN_SPEAKERS' }),
  max_speakers: setting.countOrAuto({ default: 'auto', range: [1, 50], unit: 'speakers', variable: 'MAX_SPEAKERS' }),
});
export type EngineSettings = SettingValues<typeof engineSettings>;
export type EngineSettingKey = keyof EngineSettings;

/** The effective settings of a worker, by key. */
export const reportedSettings = z.record(z.string(), z.object({ value: settingValue, source: z.enum(settingSources) }));
export type ReportedSettings = z.infer<typeof reportedSettings>;

const route = routesOf('transcription-dispatcher');
const answer = settingsAnswer.extend({
  /** What the live workers use, with the values that they compute for their processors. */
  workers: z.array(z.object({ id: z.string(), settings: reportedSettings })),
});

export const engineSettingsRoutes = {
  engineSettings: route('GET', '/api/admin/engine-settings', 'super_admin', {
    summary: 'How the workers use their engines: effective values, their sources and what each worker reports',
    answer,
  }),
  updateEngineSettings: route('PUT', '/api/admin/engine-settings', 'super_admin', {
    summary:
      'Change engine settings; null returns to the environment or the default. Workers apply them without restart',
    body: settingChanges(engineSettings),
    answer,
    errors: ['settings_invalid'],
  }),
};

export const engineSettingsRpc = {
  /** The stored settings; a worker adds its environment and the defaults. */
  read: defineRpc('transcription-dispatcher', 'engine-settings', {
    request: z.object({}),
    reply: z.object({ stored: z.record(z.string(), z.unknown()) }),
    timeoutMs: 2_000,
  }),
};
