import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { gpuRpc, workerJobs } from '@overtone/contracts';
import { createObjectStore } from '@overtone/object-store';
import {
  createService,
  createServiceBase,
  worker,
  type Bus,
  type Log,
  type Part,
  type Service,
} from '@overtone/service-kit';
import { createAcousticDiarizer } from './diarization/acoustic.adapter.ts';
import { createNeuralDiarizer } from './sherpa/diarizer.adapter.ts';
import { embedRpc } from './embeddings/embed.rpc.ts';
import { createWordVectoriser, type Vectoriser } from './embeddings/embeddings.ts';
import { createOpenAiVectoriser } from './embeddings/openai.adapter.ts';
import type { SpeechEngine } from './engines/engines.ts';
import { createOpenAiEngine } from './engines/openai.adapter.ts';
import { createPocketSphinx } from './engines/pocketsphinx.adapter.ts';
import { createScripted } from './engines/scripted.adapter.ts';
import { createSherpaEngine } from './sherpa/engine.adapter.ts';
import { createProcessors } from './sherpa/processors.ts';
import { createSherpaRuntime, type SherpaRuntime } from './sherpa/runtime.ts';
import { childEnvironment, type WorkerEnv } from './env.ts';
import { createFleet } from './fleet.ts';
import { createGpuProbe, createMemoryMeter, largestBatch, type GpuProbe } from './gpu/gpu.ts';
import { createArtefacts } from './jobs/artefacts.ts';
import { createCpuChildren } from './jobs/cpu-children.ts';
import { stageJobHandlers, type Profiler } from './jobs/jobs.ts';
import { createTelemetry } from './telemetry.ts';

/** The worker: runs all stages except indexing, with speech engines in child processes, and computes search vectors. */
export function createTranscriptionWorker(env: WorkerEnv): Service {
  const base = createServiceBase('transcription-worker', env);
  const { log, metrics, bus } = base;
  const store = createObjectStore(env);
  const children = childEnvironment();
  const workerId = `${hostname()}-${randomUUID().slice(0, 8)}`;
  const sherpa = sherpaOf(env, createGpuProbe({ env: children }));
  const fleet = createFleet({
    log,
    candidates: engines(env, sherpa),
    wanted: env.ASR_ENGINE,
    processors: sherpa.processors,
    concurrency: env.concurrency,
    pool: env.GPU_WORKER_POOL,
  });
  const diarizer = createNeuralDiarizer(sherpa, createAcousticDiarizer({ env: children }));
  const { vectoriser, parts } = vectors(env, log);
  const embeds = env.WORKER_QUEUES.includes('embedding');
  const artefacts = createArtefacts(store, env.WORK_DIR);
  const cpu = createCpuChildren({ env: children, maxSeconds: env.MAX_AUDIO_HOURS * 3600 });
  const handlers = stageJobHandlers({
    artefacts,
    cpu,
    engine: fleet.engine,
    diarizer: () => diarizer,
    telemetry: createTelemetry(metrics),
    profiler: env.ENABLE_VRAM_PROFILING ? profilerOf(bus, log, workerId, sherpa) : undefined,
  });

  return createService({
    ...base,
    slices: [
      {
        parts: [fleet.part, artefacts.part, cpu.part, ...(embeds ? parts : [])],
        rpcs: embeds ? [embedRpc(vectoriser)] : [],
        jobs: [
          worker(workerJobs, handlers, {
            workerId,
            concurrency: env.concurrency,
            express: { gpu: env.concurrency.gpu ? env.GPU_EXPRESS_SLOTS : 0 },
            able: fleet.able,
            about: fleet.about,
          }),
        ],
        checks: { object_storage: { critical: false, probe: (signal) => store.ping(signal) } },
      },
    ],
  });
}

function sherpaOf(env: WorkerEnv, probe: GpuProbe): SherpaRuntime {
  const { BATCH_SIZE: batchSize, COMPUTE_TYPE: computeType, WHISPER_HYBRID_MODE: hybrid } = env;
  return createSherpaRuntime({
    modelCacheDir: env.MODEL_CACHE_DIR,
    env: childEnvironment(),
    threads: env.ASR_THREADS,
    processors: createProcessors({ probe, wishes: { batchSize, computeType, hybrid } }),
    pool: env.GPU_WORKER_POOL,
    concurrency: (env.concurrency.gpu ?? 1) + env.GPU_EXPRESS_SLOTS,
    largestBatch: batchSize === 'auto' ? largestBatch : batchSize,
  });
}

/** Profiles are informational: a profile that cannot be published must not fail the task. */
function profilerOf(bus: Bus, log: Log, worker: string, { processors }: SherpaRuntime): Profiler {
  return {
    meter: createMemoryMeter({ env: childEnvironment(), device: () => processors.state().devices[0] }),
    tell: (profile) =>
      void bus
        .request(gpuRpc.recordProfile, { ...profile, worker })
        .catch((err: unknown) => log.debug({ err: err as Error }, 'GPU profile not recorded')),
  };
}

/** Engines in order of preference; the scripted one only if configured. */
function engines(env: WorkerEnv, sherpa: SherpaRuntime): SpeechEngine[] {
  return [
    ...(env.OT_SCRIPTED_ENGINE ? [createScripted(env.OT_SCRIPTED_ENGINE)] : []),
    createSherpaEngine(sherpa),
    ...(env.ASR_OPENAI_BASE_URL
      ? [
          createOpenAiEngine({
            baseUrl: env.ASR_OPENAI_BASE_URL,
            apiKey: env.ASR_OPENAI_API_KEY,
            model: env.ASR_OPENAI_MODEL,
            parallel: env.ASR_THREADS,
          }),
        ]
      : []),
    createPocketSphinx({ env: childEnvironment(), parallel: env.ASR_THREADS }),
  ];
}

/** The configured vector server, else word vectors; never both, because their vectors are not comparable. */
function vectors(env: WorkerEnv, log: Log): { vectoriser: Vectoriser; parts: Part[] } {
  if (env.EMBEDDINGS_OPENAI_BASE_URL) {
    const { EMBEDDINGS_OPENAI_API_KEY: apiKey, EMBEDDINGS_OPENAI_MODEL: model } = env;
    return {
      vectoriser: createOpenAiVectoriser({ baseUrl: env.EMBEDDINGS_OPENAI_BASE_URL, apiKey, model }),
      parts: [],
    };
  }
  const words = createWordVectoriser({ modelCacheDir: env.MODEL_CACHE_DIR, env: childEnvironment(), log });
  return { vectoriser: words, parts: [words.part] };
}
