import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  downloadJobs,
  maskedAudioJobs,
  engineSettings,
  modelJobs,
  providerKinds,
  queuesOf,
  settingVariables,
  voiceJobs,
  workerJobs,
  workerPools,
  type Queue,
} from '@overtone/contracts';
import { speechModelSetting } from '@overtone/models';
import { objectStoreEnv } from '@overtone/object-store';
import { concurrencyEnv, concurrencyOf, type Concurrency } from '@overtone/jobs';
import { busEnv, defineEnv, readEnv, serviceEnv } from '@overtone/service-kit';
import { outboundEnv } from '@overtone/service-kit/outbound';
import { z } from 'zod';

/** The jobs that a worker runs. */
export const ownJobs = { ...workerJobs, ...downloadJobs, ...maskedAudioJobs, ...modelJobs, ...voiceJobs };
/** Roles of a worker: the queues of its jobs; `embedding` also serves search vectors. */
const offers = queuesOf(ownJobs);

/** Where the launcher makes the Python environment of faster-whisper. */
export const defaultSpeechEnvironment = resolve(import.meta.dirname, '../../../.tools/speech');

export const workerVariables = {
  ...serviceEnv,
  ...busEnv,
  ...objectStoreEnv,
  ...outboundEnv,
  /** Program that downloads from pages of media sites, if it is installed. */
  YT_DLP_COMMAND: z.string().min(1).default('yt-dlp'),
  MODEL_CACHE_DIR: z.string().min(1),
  /** `true`: models that were neither pulled nor imported nor verified are loaded, too. */
  OT_ALLOW_UNVERIFIED_MODELS: z.stringbool().default(false),
  /** A catalogue file of the operator; its models are added to those of the product. */
  OT_MODEL_CATALOGUE: z.string().optional(),
  /** The speech model that a worker for downloads fetches after its start: `auto`, a name of the catalogue, or `none`. */
  OT_SPEECH_MODEL: speechModelSetting.default('none'),
  /** Address below which the files of the catalogue are looked for first, as `<model>/<file>`; for closed networks. */
  OT_MODEL_MIRROR: z.url({ protocol: /^https?$/ }).optional(),
  /** Node's own variable: pulls of models go through HTTPS_PROXY. */
  NODE_USE_ENV_PROXY: z.stringbool().default(false),
  /** Folder for temporary sound; needs room for 115 MB per hour of recording and job. */
  WORK_DIR: z.string().min(1).default(tmpdir()),
  /** Folder of the Python environment of faster-whisper, which the launcher makes. */
  OT_SPEECH_ENVIRONMENT: z.string().min(1).default(defaultSpeechEnvironment),
  /** Only this engine. */
  ASR_ENGINE: z.enum([...providerKinds, 'scripted']).optional(),
  /** `1`, or a JSON file: the scripted engine, which decodes no audio. For tests and measurements only. */
  OT_SCRIPTED_ENGINE: z.string().optional(),
  /** Any server with the OpenAI transcription API: its address up to `/audio/transcriptions`. */
  ASR_OPENAI_BASE_URL: z.url().optional(),
  ASR_OPENAI_API_KEY: z.string().optional(),
  ASR_OPENAI_MODEL: z.string().default('whisper-1'),
  /** Any server with the OpenAI embeddings API: its address up to `/embeddings`. */
  EMBEDDINGS_OPENAI_BASE_URL: z.url().optional(),
  EMBEDDINGS_OPENAI_API_KEY: z.string().optional(),
  EMBEDDINGS_OPENAI_MODEL: z.string().default('text-embedding-3-small'),
  /** `threads`: concurrent recordings share one process and its model; `prefork`: each has its own process. */
  GPU_WORKER_POOL: z.enum(workerPools).default('prefork'),
  /** Measures GPU memory during transcription and diarization, and reports it to the dispatcher. */
  ENABLE_VRAM_PROFILING: z.stringbool().default(false),
  /** Roles of this process, separated by commas; `gpu` for a process that only uses a GPU. */
  WORKER_QUEUES: z
    .string()
    .describe(`one or more of ${offers.join(', ')}, separated by commas`)
    .transform((text) => text.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(offers)).min(1))
    .default([...offers]),
  MAX_AUDIO_HOURS: z.coerce.number().min(0.1).max(1_000).default(48),
};

export type WorkerEnv = z.infer<z.ZodObject<typeof workerVariables>> & {
  readonly concurrency: Concurrency;
  /** The variables of the engine settings that are set; stored settings take precedence over them. */
  readonly engineVariables: Readonly<Record<string, unknown>>;
};
/** Environment of the worker, parsed once. */
export const workerEnv = defineEnv(
  { ...workerVariables, ...settingVariables(engineSettings), ...concurrencyEnv(ownJobs) },
  (source): Readonly<WorkerEnv> => {
    const env = readEnv(workerVariables, source);
    const engineVariables = readEnv(settingVariables(engineSettings), source);
    return Object.freeze({ ...env, engineVariables, concurrency: concurrencyFor(env.WORKER_QUEUES) });
  },
);

/** Passed on to child processes if set: visible GPUs, library paths and the compile caches. */
const handedOn = ['CUDA_VISIBLE_DEVICES', 'CUDA_CACHE_PATH', 'LD_LIBRARY_PATH', 'NODE_COMPILE_CACHE'];

/**
 * Environment of child processes: paths and GPU settings, without secrets.
 * @param workDir the driver keeps there what it compiles for GPUs newer than the libraries, a quarter of a minute per start
 */
export function childEnvironment(workDir?: string): Record<string, string> {
  return {
    ...(workDir === undefined ? {} : { CUDA_CACHE_PATH: join(workDir, 'cuda-cache') }),
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    LC_ALL: 'C.UTF-8',
    // CUDA orders devices by speed by default; nvidia-smi orders them by slot.
    CUDA_DEVICE_ORDER: 'PCI_BUS_ID',
    ...Object.fromEntries(
      handedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    ),
  };
}

/** Concurrency of the queues in this process's roles; 0 for all others. That of `gpu` follows the engine settings. */
function concurrencyFor(queues: readonly Queue[]): Concurrency {
  return Object.fromEntries(
    Object.entries(concurrencyOf(ownJobs)).map(([queue, limit]) => [
      queue,
      queues.includes(queue as Queue) ? limit : 0,
    ]),
  );
}
