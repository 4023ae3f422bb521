import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { workerJobs } from '@overtone/contracts';
import { createObjectStore } from '@overtone/object-store';
import {
  createBus,
  createLog,
  createMetrics,
  createService,
  version,
  worker,
  type Service,
} from '@overtone/service-kit';
import { createAcousticDiarizer } from './diarization/acoustic.adapter.ts';
import { embedRpc } from './embeddings/embed.rpc.ts';
import { createWordVectoriser } from './embeddings/embeddings.ts';
import { createPocketSphinx } from './engines/pocketsphinx.adapter.ts';
import { createScripted } from './engines/scripted.adapter.ts';
import { childEnvironment, type WorkerEnv } from './env.ts';
import { createFleet } from './fleet.ts';
import { createArtefacts } from './jobs/artefacts.ts';
import { stageJobHandlers } from './jobs/jobs.ts';
import { createFfmpeg } from './ports/ffmpeg.adapter.ts';
import { createTelemetry } from './telemetry.ts';

const name = 'transcription-worker';

/** The worker: every stage but the last, speech engines in child processes, vectors for search. */
export const createTranscriptionWorker = (env: WorkerEnv): Service => {
  const log = createLog(name, env);
  const metrics = createMetrics();
  const bus = createBus({ service: name, url: env.NATS_URL, user: env.NATS_USER, password: env.NATS_PASSWORD, log });
  const store = createObjectStore(env);
  const children = childEnvironment();
  const workerId = `${hostname()}-${randomUUID().slice(0, 8)}`;
  const candidates = [
    ...(env.OT_SCRIPTED_ENGINE ? [createScripted(env.OT_SCRIPTED_ENGINE)] : []),
    createPocketSphinx({ env: children, parallel: env.ASR_THREADS }),
  ];
  const fleet = createFleet({ bus, log, workerId, candidates, wanted: env.ASR_ENGINE });
  const diarizer = createAcousticDiarizer({ env: children });
  const vectoriser = createWordVectoriser({ modelCacheDir: env.MODEL_CACHE_DIR, env: children, log });
  const handlers = stageJobHandlers({
    artefacts: createArtefacts(store, env.WORK_DIR),
    transcoder: createFfmpeg({ env: children, maxSeconds: env.MAX_AUDIO_HOURS * 3600 }),
    engine: fleet.engine,
    diarizer: () => diarizer,
    telemetry: createTelemetry(metrics),
  });
  const concurrency = { cpu: env.CPU_CONCURRENCY, gpu: env.GPU_CONCURRENT_REQUESTS };

  return createService({
    name,
    version,
    env,
    log,
    metrics,
    bus,
    parts: [fleet.part, vectoriser.part],
    rpcs: [embedRpc(vectoriser)],
    workers: [worker(workerJobs, handlers, { workerId, concurrency, able: fleet.able })],
    checks: { object_storage: { critical: false, probe: (signal) => store.ping(signal) } },
  });
};
