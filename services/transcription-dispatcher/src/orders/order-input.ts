import {
  jobDurable,
  prepareOutput,
  stageJobs,
  stages,
  type InputOf,
  type JobDef,
  type RunOptions,
  type Stage,
} from '@overtone/contracts';
import type { Priority } from './rank.ts';

/** What a run was opened with. */
export type RunFacts = {
  id: string;
  fileId: string;
  ownerId: string;
  objectKey: string;
  contentType: string;
  options: RunOptions;
  priority: Priority;
};
/** A stage that is done, as the next ones need it. */
export type StageResult = { stage: Stage; artefact: string | null; output: unknown };
/** What only the caller knows: why there are no speaker turns, which transcript is to be indexed. */
export type OrderNotes = { degraded?: string | null; transcriptVersion?: number };

type AnyInput = { [S in Stage]: InputOf<(typeof stageJobs)[S]> }[Stage];

/** The body of a stage's job, made from what the stages before it left. */
export const inputFor = (stage: Stage, run: RunFacts, done: StageResult[], notes: OrderNotes = {}): AnyInput => {
  const base = {
    runId: run.id,
    fileId: run.fileId,
    ownerId: run.ownerId,
    earlier: Object.fromEntries(done.flatMap((d) => (d.artefact ? [[d.stage, d.artefact]] : []))),
  };
  const prepared = () => prepareOutput.parse(done.find((d) => d.stage === 'prepare')?.output);
  const heard = () => ({ ...base, audio: prepared().audio, duration: prepared().duration, options: run.options });
  const inputs: Record<Stage, () => AnyInput> = {
    prepare: () => ({ ...base, objectKey: run.objectKey, contentType: run.contentType }),
    transcribe: heard,
    diarize: heard,
    assemble: () => ({ ...base, duration: prepared().duration, degraded: notes.degraded ?? null }),
    index: () => ({ ...base, transcriptVersion: notes.transcriptVersion ?? 0 }),
  };
  return inputs[stage]();
};

const bySubject: ReadonlyMap<string, Stage> = new Map(stages.map((s) => [stageJobs[s].subject, s]));
export const jobOf = (stage: Stage): JobDef => stageJobs[stage];
export const stageOf = (subject: string): Stage | undefined => bySubject.get(subject);

/** Seconds of audio that a job is about, where they are known. */
export const audioSecondsOf = (input: unknown): number | null => {
  const { duration } = input as { duration?: unknown };
  return typeof duration === 'number' ? duration : null;
};

/** Whether an earlier stage of the run went through the same durable. */
export const carriesOn = (stage: Stage): boolean =>
  stages.slice(0, stages.indexOf(stage)).some((s) => jobDurable(stageJobs[s]) === jobDurable(stageJobs[stage]));

const longestPauseMs = 5 * 60_000;

/**
 * Pause before the next attempt: doubled with every failure, up to five minutes, spread by a quarter either way so
 * that files which failed together do not come back together.
 * @param random 0..1
 */
export const pauseAfter = (failures: number, baseMs: number, random: number): number =>
  Math.round(Math.min(longestPauseMs, baseMs * 2 ** Math.max(0, failures - 1)) * (0.75 + random / 2));
