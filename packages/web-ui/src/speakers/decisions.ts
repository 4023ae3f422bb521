import { t } from '@lingui/core/macro';
import { voiceName, type Voice } from './voice-queries.ts';

export type Decision = 'accept' | 'reject' | 'remove' | 'accept_rejected';

const undo = {
  // The removal rejects the voice, which is taken back itself.
  accept: ['remove', 'undo_reject'],
  accept_rejected: ['remove'],
  reject: ['undo_reject'],
  remove: ['accept_rejected'],
} as const;

/** The requests that take a decision back, in order. */
export function undoOf(decision: Decision): readonly (Decision | 'undo_reject')[] {
  return undo[decision];
}

type Decided = {
  readonly voice: Pick<Voice, 'label' | 'file_title'>;
  /** Of the profile. */
  readonly name: string;
};

/** Which voice was decided, and the effect. */
export function decisionText(decision: Decision, { voice, name }: Decided): string {
  const [speaker, title] = [voiceName(voice), voice.file_title];
  if (decision === 'reject') return t`${speaker} in ${title} won’t be suggested as ${name} again.`;
  if (decision === 'remove') return t`${speaker} in ${title} is not ${name}. The name leaves the transcript.`;
  return t`${speaker} in ${title} is named ${name}.`;
}
