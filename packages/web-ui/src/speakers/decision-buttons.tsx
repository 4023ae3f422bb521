import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { voiceName, type VoiceSuggestion } from './voice-queries.ts';

type Props = {
  readonly suggestion: VoiceSuggestion;
  readonly size: 'compact-xs' | 'compact-sm';
  readonly disabled: boolean;
  readonly onDecide: (action: 'accept' | 'reject') => void;
};

/** Accepts or rejects a suggestion who speaks. */
export function DecisionButtons({ suggestion: { voice, profile }, size, disabled, onDecide }: Props) {
  return (
    <>
      <Button
        size={size}
        disabled={disabled}
        onClick={() => onDecide('accept')}
        aria-label={t`Accept: ${voiceName(voice)} is ${profile.name}`}
      >
        {t`Accept`}
      </Button>
      <Button
        size={size}
        variant="default"
        disabled={disabled}
        onClick={() => onDecide('reject')}
        aria-label={t`Reject: ${voiceName(voice)} is not ${profile.name}`}
      >
        {t`Reject`}
      </Button>
    </>
  );
}
