import { createObjectStore } from '@overtone/object-store';
import { createService, createServiceBase, type Service } from '@overtone/service-kit';
import { createAcousticDiarizer } from './diarization/acoustic.adapter.ts';
import { createEmbeddingsSlice } from './embeddings/embeddings.slice.ts';
import { createEnginesSlice } from './engines/engines.slice.ts';
import { childEnvironment, type WorkerEnv } from './env.ts';
import { createGpu } from './gpu/gpu.ts';
import { createJobsSlice } from './jobs/jobs.slice.ts';
import { createModelsSlice } from './models/models.slice.ts';
import { createSherpa } from './sherpa/sherpa.ts';
import { createTelemetry } from './telemetry.ts';

/** The worker: runs all stages except indexing, with speech engines in child processes, and computes search vectors. */
export function createTranscriptionWorker(env: WorkerEnv): Service {
  const base = createServiceBase('transcription-worker', env);
  const { log, metrics, bus } = base;
  const childEnv = childEnvironment();
  const { BATCH_SIZE: batchSize, COMPUTE_TYPE: computeType, WHISPER_HYBRID_MODE: hybrid } = env;
  const gpu = createGpu({ env: childEnv, wishes: { batchSize, computeType, hybrid } });
  const fallback = createAcousticDiarizer({ env: childEnv });
  const { engine: sherpa, diarizer } = createSherpa({ env, childEnv, gpu, fallback });
  const engines = createEnginesSlice({ env, childEnv, sherpa, processors: gpu.processors, log });

  const models = createModelsSlice({ env, log });

  return createService({
    ...base,
    slices: [
      engines,
      models,
      createJobsSlice({
        env,
        childEnv,
        store: createObjectStore(env),
        engines,
        diarizer,
        modelHandlers: models.handlers,
        meter: gpu.meter,
        telemetry: createTelemetry(metrics),
        bus,
        log,
      }),
      ...(env.WORKER_QUEUES.includes('embedding') ? [createEmbeddingsSlice({ env, childEnv, log })] : []),
    ],
  });
}
