import type { workerJobs, Stage } from '@overtone/contracts';
import type { JobHandlers } from '@overtone/service-kit';
import type { Diarizer } from '../diarization/diarization.ts';
import type { SpeechEngine } from '../engines/engines.ts';
import type { Telemetry } from '../telemetry.ts';
import type { Artefacts } from './artefacts.ts';
import { assembleJob } from './assemble.jobs.ts';
import type { CpuChildren } from './cpu-children.ts';
import { diarizeJob } from './diarize.jobs.ts';
import { prepareJob } from './prepare.jobs.ts';
import { profiled, type Profiler } from './profiled.ts';
import { transcribeJob } from './transcribe.jobs.ts';

export type { Profiler } from './profiled.ts';

export type JobsDeps = {
  artefacts: Artefacts;
  cpu: CpuChildren;
  engine: () => SpeechEngine | undefined;
  diarizer: () => Diarizer;
  telemetry: Telemetry;
  /** Set when GPU memory profiling is enabled. */
  profiler: Profiler | undefined;
};

/** One handler per job of the catalogue; a job without one does not compile. */
export function stageJobHandlers(deps: JobsDeps): JobHandlers<typeof workerJobs> {
  return {
    prepare: timed(deps.telemetry, 'prepare', prepareJob(deps)),
    transcribe: timed(
      deps.telemetry,
      'transcribe',
      profiled(deps, 'transcribe', (o) => o.engine.model, transcribeJob(deps)),
    ),
    diarize: timed(
      deps.telemetry,
      'diarize',
      profiled(deps, 'diarize', (o) => o.provider, diarizeJob(deps)),
    ),
    assemble: timed(deps.telemetry, 'assemble', assembleJob(deps)),
  };
}

function timed<A extends unknown[], T>({ stageSeconds }: Telemetry, stage: Stage, work: (...args: A) => Promise<T>) {
  return async (...args: A): Promise<T> => {
    const end = stageSeconds.startTimer({ stage });
    try {
      const result = await work(...args);
      end({ outcome: 'done' });
      return result;
    } catch (e) {
      end({ outcome: 'failed' });
      throw e;
    }
  };
}
