import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import {
  gpuRpc,
  vocabularyRpc,
  workerJobs,
  type Stage,
  type InputOf,
  type profiledStages,
  type RequestOf,
} from '@overtone/contracts';
import type { ObjectStore } from '@overtone/object-store';
import { worker, type JobHandlers, type JobDelivery } from '@overtone/jobs';
import type { Bus, Log, Slice } from '@overtone/service-kit';
import type { Diarizer } from '../diarization/diarization.ts';
import { ownJobs, type WorkerEnv } from '../env.ts';
import type { Engines } from '../engines/engines.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { slotsOf, type LiveSettings } from '../settings/settings.ts';
import type { Telemetry } from '../telemetry.ts';
import { createArtefacts, type Artefacts } from './artefacts.ts';
import { createCpuChildren, type CpuChildren } from './cpu-children.ts';
import { assembleJob, diarizeJob, prepareJob, transcribeJob } from './stages.jobs.ts';

type Deps = {
  env: WorkerEnv;
  childEnv: Record<string, string>;
  store: ObjectStore;
  engines: Engines;
  diarizer: Diarizer;
  settings: LiveSettings;
  /** Handlers of the jobs that are no stage of a run: downloads, masked copies, and the tasks of the model folder. */
  otherHandlers: Omit<JobHandlers<typeof ownJobs>, keyof typeof workerJobs>;
  meter: Gpu['meter'];
  telemetry: Telemetry;
  bus: Bus;
  log: Log;
};

/** Runs every stage but the last (prepare, transcribe, diarize, assemble), downloads, and the tasks of the model folder. */
export function createJobsSlice({ env, childEnv, store, engines, otherHandlers, ...deps }: Deps): Slice {
  const { settings, meter, bus, log } = deps;
  const { enginesFor, able, about } = engines;
  const workerId = `${hostname()}-${randomUUID().slice(0, 8)}`;
  const artefacts = createArtefacts(store, env.WORK_DIR);
  const cpu = createCpuChildren({ env: childEnv, maxSeconds: env.MAX_AUDIO_HOURS * 3600 });
  const profiler = env.ENABLE_VRAM_PROFILING ? createProfiler({ meter, bus, log, workerId }) : undefined;
  const vocabularyOf = createVocabularyReader({ bus, log });
  const stages = stageHandlers({ ...deps, artefacts, cpu, enginesFor, vocabularyOf, profiler });
  const handlers = { ...stages, ...otherHandlers };
  return {
    parts: [artefacts.part, cpu.part],
    jobs: [
      worker(ownJobs, handlers, {
        workerId,
        able,
        about,
        get concurrency() {
          return slotsOf(env.concurrency, settings.current()).concurrency;
        },
        get express() {
          return slotsOf(env.concurrency, settings.current()).express;
        },
        remote: {
          concurrency: () => slotsOf(env.concurrency, settings.current()).remote,
          subjects: () => (engines.areAllRemote() ? [workerJobs.transcribe.subject] : []),
        },
      }),
    ],
    checks: { object_storage: { critical: false, probe: (signal) => store.ping(signal) } },
  };
}

/** Without a reply the recording is transcribed as if the person had no vocabulary: the words matter less than the text. */
function createVocabularyReader({ bus, log }: Pick<Deps, 'bus' | 'log'>) {
  return async (userId: string): Promise<readonly string[]> => {
    try {
      return (await bus.request(vocabularyRpc.readVocabulary, { userId })).terms;
    } catch (err) {
      log.warn({ err: err as Error }, 'vocabulary not read');
      return [];
    }
  };
}

/** Profiles are informational: a profile that cannot be published must not fail the task. */
function createProfiler({ meter, bus, log, workerId }: Pick<Deps, 'meter' | 'bus' | 'log'> & { workerId: string }) {
  const report: Profiler['report'] = (profile) =>
    void bus
      .request(gpuRpc.recordProfile, { ...profile, worker: workerId })
      .catch((err: unknown) => log.debug({ err }, 'GPU profile not recorded'));
  return { meter, report };
}

type StageDeps = Pick<Deps, 'diarizer' | 'settings' | 'telemetry'> & {
  artefacts: Artefacts;
  cpu: CpuChildren;
  enginesFor: Engines['enginesFor'];
  vocabularyOf: (userId: string) => Promise<readonly string[]>;
  log: Log;
  profiler: Profiler | undefined;
};

/** One handler per job of the catalogue; a job without one does not compile. */
function stageHandlers(deps: StageDeps): JobHandlers<typeof workerJobs> {
  const { telemetry, profiler } = deps;
  const transcribe = profiled(profiler, 'transcribe', ({ engine }) => engine.model, transcribeJob(deps));
  const diarize = profiled(profiler, 'diarize', ({ provider }) => provider, diarizeJob(deps));
  return {
    prepare: timed(telemetry, 'prepare', prepareJob(deps)),
    transcribe: timed(telemetry, 'transcribe', transcribe),
    diarize: timed(telemetry, 'diarize', diarize),
    assemble: timed(telemetry, 'assemble', assembleJob(deps)),
  };
}

function timed<A extends unknown[], T>({ stageSeconds }: Telemetry, stage: Stage, work: (...args: A) => Promise<T>) {
  return async (...args: A): Promise<T> => {
    const end = stageSeconds.startTimer({ stage });
    try {
      const result = await work(...args);
      end({ outcome: 'done' });
      return result;
    } catch (err) {
      end({ outcome: 'failed' });
      throw err;
    }
  };
}

type Profile = Omit<RequestOf<typeof gpuRpc.recordProfile>, 'worker'>;
/** The memory meter and the receiver of its results. */
type Profiler = { meter: Gpu['meter']; report: (profile: Profile) => void };

type Input = InputOf<typeof workerJobs.transcribe>;

/** Measures GPU memory during a job and reports it when the job succeeds. Without a profiler it returns the job unchanged. */
function profiled<T>(
  profiler: Profiler | undefined,
  stage: (typeof profiledStages)[number],
  modelOf: (output: T) => string,
  work: (input: Input, delivery: JobDelivery) => Promise<T>,
) {
  return async (input: Input, delivery: JobDelivery): Promise<T> => {
    const measuring = await profiler?.meter.start();
    try {
      const output = await work(input, delivery);
      const reading = measuring?.stop();
      const { taskId, token } = delivery;
      if (reading)
        profiler?.report({ stage, model: modelOf(output), taskId, token, audioSeconds: input.duration, ...reading });
      return output;
    } finally {
      measuring?.stop();
    }
  };
}
