import { t } from '@lingui/core/macro';
import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { useReloadAfterRefusal } from '../ui/use-reload-after-refusal.ts';
import { useDecision } from './use-decision.ts';
import { VoiceEntry } from './voice-entry.tsx';
import { occurrencesQuery, rejectedVoicesQuery, voiceName, type Profile, type Voice } from './voice-queries.ts';
import { Dialog } from '../ui/dialog.tsx';

/** Where the person speaks, to correct a single voice, and the voices that are not the person. */
export function ProfileVoices({ profile, onClose }: { profile: Profile; onClose: () => void }) {
  const voices = useQuery(occurrencesQuery(profile.uuid));
  const decision = useDecision();
  useReloadAfterRefusal(voices.error);
  return (
    <Dialog onClose={onClose} size="lg" title={<b>{t`Recordings of ${profile.name}`}</b>}>
      <QueryStatus of={voices} failure={t`The voices couldn’t be loaded`} height={80} />
      {voices.data?.length === 0 && <Empty>{t`No recordings that you may read.`}</Empty>}
      <VoiceList
        id="profile-voices"
        voices={voices.data ?? []}
        disabled={decision.isListMoving}
        onDecide={(voice) => decision.mutate({ suggestion: { voice, profile }, action: 'remove' })}
        label={t`Not ${profile.name}`}
        labelOf={(voice) => t`${voiceName(voice)} in ${voice.file_title} is not ${profile.name}`}
      />
      <RejectedVoices profile={profile} />
    </Dialog>
  );
}

/** The voices that are not suggested any more. A wrong rejection is corrected by naming the voice. */
function RejectedVoices({ profile }: { profile: Profile }) {
  const voices = useQuery(rejectedVoicesQuery(profile.uuid));
  const decision = useDecision();
  if (!voices.data) return <QueryStatus of={voices} failure={t`The rejected voices couldn’t be loaded`} height={40} />;
  if (voices.data.length === 0) return null;
  return (
    <>
      <Text component="h3" size="sm" fw={600} mt="md" mb="xs">
        {t`Not ${profile.name}, and not suggested again`}
      </Text>
      <VoiceList
        id="rejected-voices"
        voices={voices.data}
        disabled={decision.isListMoving}
        onDecide={(voice) => decision.mutate({ suggestion: { voice, profile }, action: 'accept_rejected' })}
        label={t`It is ${profile.name}`}
        labelOf={(voice) => t`It is ${profile.name}: ${voiceName(voice)} in ${voice.file_title}`}
      />
    </>
  );
}

type VoiceListProps = {
  id: string;
  voices: readonly Voice[];
  disabled: boolean;
  onDecide: (voice: Voice) => void;
  /** Text of the button of each voice. */
  label: string;
  /** Its name for screen readers. */
  labelOf: (voice: Voice) => string;
};

function VoiceList({ id, voices, disabled, onDecide, label, labelOf }: VoiceListProps) {
  return (
    <ul className="ot-list" data-testid={id}>
      {voices.map((voice) => (
        <li key={voice.speaker_uuid}>
          <VoiceEntry voice={voice}>
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              disabled={disabled}
              onClick={() => onDecide(voice)}
              aria-label={labelOf(voice)}
            >
              {label}
            </Button>
          </VoiceEntry>
        </li>
      ))}
    </ul>
  );
}
