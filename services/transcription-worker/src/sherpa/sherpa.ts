import type { Diarizer } from '../diarization/diarization.ts';
import type { SpeechEngine } from '../engines/engines.ts';
import type { WorkerEnv } from '../env.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { createNeuralDiarizer } from './diarizer.adapter.ts';
import { createSherpaEngine } from './engine.adapter.ts';
import { createSherpaRuntime } from './runtime.ts';

type Deps = {
  env: WorkerEnv;
  childEnv: Record<string, string>;
  gpu: Gpu;
  /** Used when no diarization model is installed. */
  fallback: Diarizer;
};

/** Recognition and diarization with the installed models of sherpa-onnx. */
export function createSherpa({ env, childEnv, gpu, fallback }: Deps): { engine: SpeechEngine; diarizer: Diarizer } {
  const runtime = createSherpaRuntime({
    modelCacheDir: env.MODEL_CACHE_DIR,
    allowUnverified: env.OT_ALLOW_UNVERIFIED_MODELS,
    env: childEnv,
    threads: env.ASR_THREADS,
    processors: gpu.processors,
    pool: env.GPU_WORKER_POOL,
    concurrency: (env.concurrency.gpu ?? 1) + env.GPU_EXPRESS_SLOTS,
    largestBatch: gpu.largestBatch,
  });
  return { engine: createSherpaEngine(runtime), diarizer: createNeuralDiarizer(runtime, fallback) };
}
