import { stages, type RunOptions, type Stage } from '@overtone/contracts';
import { assertNever } from '@overtone/service-kit';
import type { JobContext } from '../job-requests/job-requests.ts';

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
  if (stage === 'diarize') return { kind: 'degrade', note: `Speakers could not be told apart: ${message}` };
  if (stage === 'index') return { kind: 'finish-without', note: indexWarning };
  return { kind: 'fail-run' };
}

/** The warning of a run that continues without this failed stage; null when the run fails with it. */
export function warningOf(stage: Stage, message: string): string | null {
  const outcome = outcomeOfFailure(stage, message);
  return outcome.kind === 'fail-run' ? null : outcome.note;
}

const notDiarized = 'Speaker identification was not requested';

/** The stage rows of a new run. */
export function freshStages(): { stage: Stage; status: string }[] {
  return stages.map((stage) => ({ stage, status: 'pending' }));
}
