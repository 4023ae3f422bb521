import { stages, type RunOptions, type Stage } from '@overtone/contracts';
import { assertNever } from '@overtone/service-kit';
import type { Tx } from '../database.ts';
import type { Run } from '../generated/client.ts';

/** 0: interactive; 1: normal; 2: background. */
export type Priority = 0 | 1 | 2;
/** The input of a run. */
export type RunFacts = {
  id: string;
  fileId: string;
  ownerId: string;
  objectKey: string;
  contentType: string;
  options: RunOptions;
  priority: Priority;
};
/** The result of a completed stage. */
export type StageResult = { stage: Stage; artefact: string | null; output: unknown };
/** Input that only the caller knows: why speaker turns are missing, and the transcript version to index. */
export type JobContext = { degraded?: string | null; transcriptVersion?: number };
export type StageError = { code: string; message: string; retryable: boolean };

/**
 * What a run changes in the table `task`. Methods with a `tx` work in the caller's transaction.
 * Implemented in `tasks/tasks.store.ts`, `enqueue` in `tasks/enqueue.store.ts`.
 */
export type RunTasks = {
  /** Now, while any task waits or runs. */
  nextCheck: () => Promise<Date | null>;
  /** Enqueues a stage of a run; idempotent. @returns false when it was enqueued before. */
  enqueue: (tx: Tx, stage: Stage, run: RunFacts, done: StageResult[], context?: JobContext) => Promise<boolean>;
  /** Cancels the open tasks of a run. @returns their ids. */
  cancelTasksOfRun: (tx: Tx, runId: string) => Promise<string[]>;
  /** Cancels a file's open tasks outside a run. */
  cancelStandaloneTasks: (tx: Tx, fileId: string) => Promise<void>;
  /** Discards a file's dead jobs when it is processed again, cancelled or deleted. */
  discardDeadOfFile: (tx: Tx, fileId: string) => Promise<void>;
  /** Marks the tasks of stages that a run repeats as superseded. */
  supersede: (tx: Tx, runId: string, stages: Stage[]) => Promise<void>;
};

/**
 * What the end of a task changes in its run. Methods with a `tx` work in the caller's transaction.
 * Put together in `createRunsSlice` of `runs.slice.ts`.
 */
export type Runs = {
  /** Serializes the handling of a file's events across durables and replicas. */
  lockFile: (tx: Tx, fileId: string) => Promise<void>;
  /** The run, locked until the transaction ends. Always locked before its tasks. */
  lock: (tx: Tx, runId: string) => Promise<Run | null>;
  latest: (tx: Tx, fileId: string) => Promise<Run | null>;
  /** Handles a stage that has failed permanently. */
  giveUp: (tx: Tx, run: Run, stage: Stage, error: StageError) => Promise<void>;
  /** Sets the run to running again at `stage`, whose failure was `message`, and resets this and all later stages. */
  reopen: (tx: Tx, run: Run, stage: Stage, message: string) => Promise<void>;
  /** Resets the stage of an ended run to pending; the run stays ended. */
  retryStage: (tx: Tx, runId: string, stage: string) => Promise<void>;
  /** Clears the run's waiting reason and publishes the change. */
  stopWaiting: (runId: string) => Promise<void>;
  /** Publishes `stage.completed` again for runs whose transcript media has not stored in time. */
  remindMissingTranscripts: () => Promise<void>;
  /** The fraction of a run's stage that its worker reported last. */
  fractionOf: (runId: string, stage: string) => number;
};

/** The step after a stage. */
export type NextStep = { kind: 'enqueue'; stage: Stage } | { kind: 'await-transcript' } | { kind: 'finish' };

/**
 * The step after an accepted stage. After `assemble` the dispatcher waits until media has stored the transcript, because
 * indexing reads the stored transcript and not an artefact.
 */
export function nextStep(stage: Stage, options: Pick<RunOptions, 'diarize'>): NextStep {
  return nextSteps(options)[stage];
}

function nextSteps({ diarize }: Pick<RunOptions, 'diarize'>): Record<Stage, NextStep> {
  return {
    prepare: { kind: 'enqueue', stage: 'transcribe' },
    transcribe: { kind: 'enqueue', stage: diarize ? 'diarize' : 'assemble' },
    diarize: { kind: 'enqueue', stage: 'assemble' },
    assemble: { kind: 'await-transcript' },
    index: { kind: 'finish' },
  };
}

/** The effect of an accepted stage on its run. */
type Step = {
  /** Stages that are skipped. */
  skips: Stage[];
  enqueue: { stage: Stage; context: JobContext } | null;
  /** The warnings the run ends with, and those that no longer apply. */
  ends: { warnings: string[]; dropped: string[] } | null;
};

export function stepAfter(
  stage: Stage,
  { options, warnings: current }: { options: Pick<RunOptions, 'diarize'>; warnings: string[] },
): Step {
  const next = nextStep(stage, options);
  const none: Step = { skips: [], enqueue: null, ends: null };
  switch (next.kind) {
    case 'await-transcript':
      return none;
    case 'finish': {
      const warnings = current.filter((warning) => warning !== indexWarning);
      const dropped = current.filter((warning) => warning === indexWarning);
      return { ...none, ends: { warnings, dropped } };
    }
    case 'enqueue': {
      const skips: Stage[] = next.stage === 'assemble' && !options.diarize ? ['diarize'] : [];
      const context = skips.length > 0 ? { degraded: notDiarized } : {};
      return { skips, enqueue: { stage: next.stage, context }, ends: null };
    }
    default:
      return assertNever(next);
  }
}

/** The effect of a failed stage on its run. */
export type FailureOutcome =
  { kind: 'fail-run' } | { kind: 'degrade'; note: string } | { kind: 'finish-without'; note: string };

export const indexWarning =
  'The search index could not be updated yet. The transcript is complete; indexing is tried again.';

/** A transcript without speakers or search is still useful; one without words is not. */
export function outcomeOfFailure(stage: Stage, message: string): FailureOutcome {
  if (stage === 'diarize') return { kind: 'degrade', note: `Speakers could not be distinguished: ${message}` };
  if (stage === 'index') return { kind: 'finish-without', note: indexWarning };
  return { kind: 'fail-run' };
}

/** The warning of a run that continues without this failed stage; null when the run fails with it. */
export function warningOf(stage: Stage, message: string): string | null {
  const outcome = outcomeOfFailure(stage, message);
  return outcome.kind === 'fail-run' ? null : outcome.note;
}

const notDiarized = 'Speaker identification was not requested';

/** The stages that a run reopened at `stage` repeats. */
export function stagesAfter(stage: Stage): Stage[] {
  return stages.slice(stages.indexOf(stage) + 1);
}
