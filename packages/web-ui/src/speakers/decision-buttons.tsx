import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import type { VoiceSuggestion } from './voice-queries.ts';

type Props = {
  /** What the voice is called where the buttons are. */
  readonly speaker: string;
  readonly profile: VoiceSuggestion['profile'];
  readonly size: 'compact-xs' | 'compact-sm';
  readonly disabled: boolean;
  readonly onDecide: (action: 'accept' | 'reject') => void;
};

/** Accepts or rejects a suggestion who speaks. */
export function DecisionButtons({ speaker, profile, size, disabled, onDecide }: Props) {
  return (
    <>
      <Button
        size={size}
        disabled={disabled}
        onClick={() => onDecide('accept')}
        aria-label={t`Accept: ${speaker} is ${profile.name}`}
      >
        {t`Accept`}
      </Button>
      <Button
        size={size}
        variant="default"
        disabled={disabled}
        onClick={() => onDecide('reject')}
        aria-label={t`Reject: ${speaker} is not ${profile.name}`}
      >
        {t`Reject`}
      </Button>
    </>
  );
}
