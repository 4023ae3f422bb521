import {
  jobDurable,
  prepareOutput,
  stageJobs,
  stages,
  type InputOf,
  type JobDef,
  type Stage,
} from '@overtone/contracts';
import type { JobContext, RunFacts, StageResult } from '../runs/runs.ts';

type AnyInput = { [S in Stage]: InputOf<(typeof stageJobs)[S]> }[Stage];

/** Builds the body of a stage's job from the results of the earlier stages. */
export function inputFor(stage: Stage, run: RunFacts, done: StageResult[], context: JobContext = {}): AnyInput {
  const base = {
    runId: run.id,
    fileId: run.fileId,
    ownerId: run.ownerId,
    earlier: Object.fromEntries(done.flatMap((result) => (result.artefact ? [[result.stage, result.artefact]] : []))),
  };
  const prepared = () => prepareOutput.parse(done.find((result) => result.stage === 'prepare')?.output);
  const audioInput = () => {
    const { audio, duration, speakerParts } = prepared();
    return { ...base, audio, duration, options: run.options, speakerParts };
  };
  const inputs: Record<Stage, () => AnyInput> = {
    prepare: () => ({ ...base, objectKey: run.objectKey, contentType: run.contentType, options: run.options }),
    transcribe: audioInput,
    diarize: audioInput,
    assemble: () => ({ ...base, duration: prepared().duration, degraded: context.degraded ?? null }),
    index: () => ({ ...base, transcriptVersion: context.transcriptVersion ?? 0 }),
  };
  return inputs[stage]();
}

export function jobOf(stage: Stage): JobDef {
  return stageJobs[stage];
}

/** The job's audio duration in seconds; null when it is unknown. */
export function audioSecondsOf(input: unknown): number | null {
  const { duration } = input as { duration?: unknown };
  return typeof duration === 'number' ? duration : null;
}

/** Whether an earlier stage of the run used the same durable. */
export function sharesDurableWithEarlierStage(stage: Stage): boolean {
  return stages
    .slice(0, stages.indexOf(stage))
    .some((earlier) => jobDurable(stageJobs[earlier]) === jobDurable(stageJobs[stage]));
}

const longestPauseMs = 5 * 60_000;

/**
 * Backoff before the next attempt: doubled with every failure up to five minutes, with 25 % jitter so that files which
 * failed together are not retried together.
 * @param random 0..1
 */
export function pauseAfter(failures: number, baseMs: number, random: number): number {
  return Math.round(Math.min(longestPauseMs, baseMs * 2 ** Math.max(0, failures - 1)) * (0.75 + random / 2));
}
