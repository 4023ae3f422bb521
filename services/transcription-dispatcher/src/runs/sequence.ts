import { stages, type RunOptions, type Stage } from '@overtone/contracts';

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

export const notDiarized = 'Telling speakers apart was not asked for';

/** Rows a new run begins with. */
export const freshStages = (): { stage: Stage; status: string }[] =>
  stages.map((stage) => ({ stage, status: 'pending' }));
