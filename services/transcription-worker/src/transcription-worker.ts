import { createObjectStore } from '@overtone/object-store';
import { createService, createServiceBase, type Service } from '@overtone/service-kit';
import { createOutboundGuard, parseRanges } from '@overtone/service-kit/outbound';
import { createAcousticDiarizer } from './diarization/acoustic.adapter.ts';
import { createDownloadsSlice } from './downloads/downloads.slice.ts';
import { createEmbeddingsSlice } from './embeddings/embeddings.slice.ts';
import { createEnginesSlice } from './engines/engines.slice.ts';
import { childEnvironment, type WorkerEnv } from './env.ts';
import { createFasterWhisperEngines } from './faster-whisper/faster-whisper.ts';
import { createGpu } from './gpu/gpu.ts';
import { wishesOf } from './gpu/tuning.ts';
import { createJobsSlice } from './jobs/jobs.slice.ts';
import { embedVoicesJob } from './jobs/embed-voices.job.ts';
import { maskAudioJob } from './jobs/mask-audio.job.ts';
import { createModelsSlice } from './models/models.slice.ts';
import { createSettingsSlice } from './settings/settings.slice.ts';
import { createSherpa } from './sherpa/sherpa.ts';
import { createTextModels } from './text-models/text-models.ts';
import { createTelemetry } from './telemetry.ts';

/** The worker: runs all stages except indexing, with speech engines in child processes, and computes search vectors. */
export function createTranscriptionWorker(env: WorkerEnv): Service {
  const base = createServiceBase('transcription-worker', env);
  const { log, metrics, bus } = base;
  const childEnv = childEnvironment(env.WORK_DIR);
  const settingsSlice = createSettingsSlice({ environment: env.engineVariables, bus, log });
  const { settings } = settingsSlice;
  const gpu = createGpu({ env: childEnv, wishes: () => wishesOf(settings.current()) });
  const fallback = createAcousticDiarizer({ env: childEnv });
  const {
    engineWith: sherpaWith,
    diarizer,
    embedSpeakers,
    computableVersions,
  } = createSherpa({
    env,
    childEnv,
    gpu,
    settings,
    fallback,
  });
  const whisperWith = createFasterWhisperEngines({
    modelCacheDir: env.MODEL_CACHE_DIR,
    allowUnverified: env.OT_ALLOW_UNVERIFIED_MODELS,
    environment: env.OT_SPEECH_ENVIRONMENT,
    env: childEnv,
    processors: gpu.whisperProcessors,
    settings: settings.current,
    pool: env.GPU_WORKER_POOL,
    onGpuFull: (model) => log.warn({ model }, 'the memory of the GPU is full: the CPU transcribes this recording'),
  });
  const guard = createOutboundGuard({ allowedRanges: parseRanges(env.OT_OUTBOUND_ALLOWED_RANGES) });
  const engines = createEnginesSlice({
    env,
    childEnv,
    whisperWith,
    sherpaWith,
    settings,
    processors: gpu.processors,
    guard,
    bus,
    log,
  });

  const store = createObjectStore(env);
  const downloads = createDownloadsSlice({ env, childEnv, objects: store, guard, bus, log });

  const models = createModelsSlice({ env, log });
  const textModels = createTextModels({
    modelCacheDir: env.MODEL_CACHE_DIR,
    allowUnverified: env.OT_ALLOW_UNVERIFIED_MODELS,
    env: childEnv,
    log,
  });

  return createService({
    ...base,
    slices: [
      settingsSlice,
      engines,
      downloads,
      models,
      createJobsSlice({
        env,
        childEnv,
        store,
        otherHandlers: {
          download: downloads.download,
          maskAudio: maskAudioJob({ env, childEnv, store, bus, log }),
          embedVoices: embedVoicesJob({ env, childEnv, store, embedSpeakers, computableVersions, bus, log }),
          ...models.handlers,
        },
        engines,
        diarizer,
        settings,
        meter: gpu.meter,
        telemetry: createTelemetry(metrics),
        bus,
        log,
      }),
      ...(env.WORKER_QUEUES.includes('embedding') ? [createEmbeddingsSlice({ env, childEnv, textModels, log })] : []),
    ],
  });
}
