import { z } from 'zod';
import { defineRpc } from './define.ts';
import { routesOf, time } from './http.ts';

/** One GPU, or one instance of a partitioned GPU (MIG), as reported by the driver. */
export const gpuDevice = z.object({
  index: z.int(),
  uuid: z.string(),
  name: z.string(),
  memory_mib: z.int(),
  /** CUDA compute capability, e.g. 8.6; null: the driver is too old to report it. */
  capability: z.number().nullable(),
});
export type GpuDevice = z.infer<typeof gpuDevice>;

/** Numeric precision of a model; it selects the model's files. */
export const computeTypes = ['int8_float16', 'int8', 'float16', 'float32'] as const;

/** How the engine of a worker uses its processors (specification, "Limits"). */
export const engineTuning = z.object({
  transcribe_on: z.enum(['cpu', 'gpu']),
  diarize_on: z.enum(['cpu', 'gpu']),
  /** Transcription on the CPU because the GPU is too small for both, diarization on the GPU. */
  hybrid: z.boolean(),
  batch_size: z.int(),
  compute_type: z.enum(computeTypes),
});
export type EngineTuning = z.infer<typeof engineTuning>;

/** `threads`: concurrent requests share one process and its model; `prefork`: each has its own process. */
export const workerPools = ['prefork', 'threads'] as const;

/** A worker's GPUs and its tuning for them. */
export const workerGpu = z.object({
  devices: z.array(gpuDevice),
  /** Why there is no device, or why a present one is not used. */
  note: z.string().nullable(),
  concurrency: z.int(),
  pool: z.enum(workerPools),
  /** null: the active engine has no tuning options. */
  tuning: engineTuning.nullable(),
});

/** The stages whose GPU memory is measured. */
export const profiledStages = ['transcribe', 'diarize'] as const;
const profile = {
  stage: z.enum(profiledStages),
  model: z.string().max(200),
  device: z.string().max(200),
};

export const gpuRpc = {
  /** The GPU memory that a task needed; reported once per claim. */
  recordProfile: defineRpc('transcription-dispatcher', 'record-gpu-profile', {
    request: z.object({
      ...profile,
      taskId: z.uuid(),
      token: z.int(),
      worker: z.string().max(200),
      /** Total memory in use when the task started. */
      baselineMib: z.int().min(0),
      peakMib: z.int().min(0),
      audioSeconds: z.number().min(0),
    }),
    reply: z.object({ outcome: z.enum(['recorded', 'off']) }),
  }),
};

const route = routesOf('transcription-dispatcher');
export const gpuRoutes = {
  gpuProfiles: route('GET', '/api/admin/gpu-profiles', 'admin', {
    summary: 'GPU memory that tasks needed, by stage, model and device (needs ENABLE_VRAM_PROFILING=true)',
    query: z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) }),
    answer: z.object({
      enabled: z.boolean(),
      /** What to do while it is off; null while it is on. */
      message: z.string().nullable(),
      summary: z.array(
        z.object({ ...profile, count: z.int(), p50_mib: z.int(), max_mib: z.int(), audio_seconds: z.number() }),
      ),
      /** The latest, newest first. */
      recent: z.array(
        z.object({
          ...profile,
          task: z.uuid(),
          worker: z.string(),
          baseline_mib: z.int(),
          peak_mib: z.int(),
          audio_seconds: z.number(),
          recorded_at: time,
        }),
      ),
    }),
  }),
};
