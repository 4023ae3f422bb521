import { stages, type RunOptions, type Stage } from '@overtone/contracts';
import { assertNever } from '@overtone/service-kit';
import type { OrderNotes } from '../orders/orders.ts';

/** What follows a stage. */
export type Next = { kind: 'order'; stage: Stage } | { kind: 'await-transcript' } | { kind: 'finish' };

/**
 * What follows an accepted stage. After `assemble` the dispatcher waits for media to store the transcript: an index is
 * made from what people read, not from an artefact.
 */
export const after = (stage: Stage, options: Pick<RunOptions, 'diarize'>): Next => followers(options)[stage];

const followers = ({ diarize }: Pick<RunOptions, 'diarize'>): Record<Stage, Next> => ({
  prepare: { kind: 'order', stage: 'transcribe' },
  transcribe: { kind: 'order', stage: diarize ? 'diarize' : 'assemble' },
  diarize: { kind: 'order', stage: 'assemble' },
  assemble: { kind: 'await-transcript' },
  index: { kind: 'finish' },
});

/** What is done to a run when a stage of it was accepted. */
type Step = {
  /** Stages that are not done at all. */
  skips: Stage[];
  order: { stage: Stage; notes: OrderNotes } | null;
  /** The warnings it ends with, and those that no longer hold. */
  ends: { warnings: string[]; dropped: string[] } | null;
};

export const stepAfter = (
  stage: Stage,
  { options, warnings }: { options: Pick<RunOptions, 'diarize'>; warnings: string[] },
): Step => {
  const next = after(stage, options);
  const none: Step = { skips: [], order: null, ends: null };
  switch (next.kind) {
    case 'await-transcript':
      return none;
    case 'finish': {
      const [dropped, kept] = [true, false].map((of) => warnings.filter((w) => (w === indexWarning) === of));
      return { ...none, ends: { warnings: kept ?? [], dropped: dropped ?? [] } };
    }
    case 'order': {
      const skips: Stage[] = next.stage === 'assemble' && !options.diarize ? ['diarize'] : [];
      const notes = skips.length > 0 ? { degraded: notDiarized } : {};
      return { skips, order: { stage: next.stage, notes }, ends: null };
    }
    default:
      return assertNever(next);
  }
};

/** What a stage that has used up its attempts costs. */
export type Verdict =
  { kind: 'fail-run' } | { kind: 'degrade'; note: string } | { kind: 'finish-without'; note: string };

export const indexWarning =
  'The search index could not be updated yet. The transcript is complete; indexing is tried again.';

/** Only words are indispensable: without speakers or search a transcript is still worth having. */
export const verdictOn = (stage: Stage, message: string): Verdict => {
  if (stage === 'diarize') return { kind: 'degrade', note: `Speakers could not be told apart: ${message}` };
  if (stage === 'index') return { kind: 'finish-without', note: indexWarning };
  return { kind: 'fail-run' };
};

/** The warning that a stage leaves behind which failed for good in a run that went on without it. */
export const warningOf = (stage: Stage, message: string): string | null => {
  const verdict = verdictOn(stage, message);
  return verdict.kind === 'fail-run' ? null : verdict.note;
};

const notDiarized = 'Telling speakers apart was not asked for';

/** Rows a new run begins with. */
export const freshStages = (): { stage: Stage; status: string }[] =>
  stages.map((stage) => ({ stage, status: 'pending' }));
