import { tmpdir } from 'node:os';
import { objectStoreEnv } from '@overtone/object-store';
import { busEnv, readEnv, serviceEnv } from '@overtone/service-kit';
import { z } from 'zod';

export type WorkerEnv = ReturnType<typeof workerEnv>;
/** Environment of the worker, parsed once. */
export const workerEnv = () =>
  readEnv({
    ...serviceEnv,
    ...busEnv,
    ...objectStoreEnv,
    MODEL_CACHE_DIR: z.string().min(1),
    /** Folder for temporary sound; needs room for 115 MB per hour of recording and job. */
    WORK_DIR: z.string().min(1).default(tmpdir()),
    /** Only this engine: sherpa-onnx, openai-compatible, pocketsphinx or scripted. */
    ASR_ENGINE: z.string().optional(),
    /** `1`, or a JSON file: the scripted engine, which hears nothing. For tests and measurements only. */
    OT_SCRIPTED_ENGINE: z.string().optional(),
    /** Any server with the OpenAI transcription API: its address up to `/audio/transcriptions`. */
    ASR_OPENAI_BASE_URL: z.url().optional(),
    ASR_OPENAI_API_KEY: z.string().optional(),
    ASR_OPENAI_MODEL: z.string().default('whisper-1'),
    /** Any server with the OpenAI embeddings API: its address up to `/embeddings`. */
    EMBEDDINGS_OPENAI_BASE_URL: z.url().optional(),
    EMBEDDINGS_OPENAI_API_KEY: z.string().optional(),
    EMBEDDINGS_OPENAI_MODEL: z.string().default('text-embedding-3-small'),
    GPU_CONCURRENT_REQUESTS: z.coerce.number().int().min(1).max(64).default(1),
    CPU_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(8),
    /** Decoders at once inside one transcription. */
    ASR_THREADS: z.coerce.number().int().min(1).max(64).default(2),
    MAX_AUDIO_HOURS: z.coerce.number().min(0.1).max(1_000).default(48),
  });

/** Environment of the programs we start: enough to find them, none of our secrets. */
export const childEnvironment = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C.UTF-8',
});
