import type { Diarizer } from '../diarization/diarization.ts';
import type { EngineSettings } from '@overtone/contracts';
import type { SpeechEngine } from '../engines/engines.ts';
import type { WorkerEnv } from '../env.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { createNeuralDiarizer } from './diarizer.adapter.ts';
import { createSherpaEngine } from './engine.adapter.ts';
import { threadsOf, type LiveSettings } from '../settings/settings.ts';
import {
  createComputableVersions,
  createSpeakerEmbeddings,
  type ComputableVersions,
  type EmbedSpeakers,
} from './speaker-embeddings.adapter.ts';
import { createSherpaRuntime, type SherpaUse } from './runtime.ts';

type Deps = {
  env: WorkerEnv;
  childEnv: Record<string, string>;
  gpu: Gpu;
  settings: Pick<LiveSettings, 'current'>;
  /** Used when no diarization model is installed. */
  fallback: Diarizer;
};

export type { ComputableVersions, EmbedSpeakers };

/** Recognition and diarization with the installed models of sherpa-onnx. */
export function createSherpa({ env, childEnv, gpu, settings, fallback }: Deps): {
  /** An engine with this installed model; empty: the first one. All share their processes. */
  engineWith: (model: string) => SpeechEngine;
  diarizer: Diarizer;
  embedSpeakers: EmbedSpeakers;
  computableVersions: ComputableVersions;
} {
  const runtime = createSherpaRuntime({
    modelCacheDir: env.MODEL_CACHE_DIR,
    allowUnverified: env.OT_ALLOW_UNVERIFIED_MODELS,
    env: childEnv,
    processors: gpu.processors,
    pool: env.GPU_WORKER_POOL,
    use: () => useOf(settings.current(), gpu),
  });
  return {
    engineWith: (model) => createSherpaEngine(runtime, model),
    diarizer: createNeuralDiarizer(runtime, fallback),
    embedSpeakers: createSpeakerEmbeddings(runtime),
    computableVersions: createComputableVersions(runtime),
  };
}

/** What the engine settings mean for the processes of sherpa-onnx. */
export function useOf(settings: EngineSettings, { largestBatch }: Pick<Gpu, 'largestBatch'>): SherpaUse {
  const { gpu_concurrency: normal, express_slots: express, recycle_after_tasks: recycleAfter } = settings;
  const { vad_threshold: threshold, vad_min_speech_s: minSpeech, vad_min_silence_s: minSilence } = settings;
  return {
    threads: threadsOf(settings),
    concurrency: normal + express,
    largestBatch: largestBatch(),
    recycleAfter,
    vad: { threshold, minSpeech, minSilence },
  };
}
