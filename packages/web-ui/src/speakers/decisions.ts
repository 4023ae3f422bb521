import { t } from '@lingui/core/macro';
import { voiceName, type Voice } from './voice-queries.ts';

export type Decision = 'accept' | 'reject' | 'accept_rejected';

/** The requests that take a decision back, in order. @param isNamed whether the voice had the name before */
export function undoOf(decision: Decision, isNamed: boolean): readonly (Decision | 'undo_reject')[] {
  // A rejection takes the voice out of the profile, and is taken back itself.
  if (decision === 'accept') return ['reject', 'undo_reject'];
  if (decision === 'accept_rejected') return ['reject'];
  return isNamed ? ['accept_rejected'] : ['undo_reject'];
}

type Decided = {
  readonly voice: Pick<Voice, 'label' | 'file_title'>;
  /** Of the profile. */
  readonly name: string;
  readonly isNamed: boolean;
};

/** Which voice was decided, and the effect. */
export function decisionText(decision: Decision, { voice, name, isNamed }: Decided): string {
  const [speaker, title] = [voiceName(voice), voice.file_title];
  if (decision !== 'reject') return t`${speaker} in ${title} is named ${name}.`;
  return isNamed
    ? t`${speaker} in ${title} is not ${name}. The name leaves the transcript.`
    : t`${speaker} in ${title} won’t be suggested as ${name} again.`;
}
