import { t } from '@lingui/core/macro';
import { Button, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { useReloadAfterRefusal } from '../ui/use-reload-after-refusal.ts';
import { useDecision } from './use-decision.ts';
import { VoiceEntry } from './voice-entry.tsx';
import { occurrencesQuery, rejectedVoicesQuery, voiceName, type Profile } from './voice-queries.ts';

/** Where the person speaks, to correct a single voice, and the voices that are not the person. */
export function ProfileVoices({ profile, onClose }: { profile: Profile; onClose: () => void }) {
  const voices = useQuery(occurrencesQuery(profile.uuid));
  const decision = useDecision({ isNamed: true });
  useReloadAfterRefusal(voices.error);
  return (
    <Modal opened onClose={onClose} size="lg" title={<b>{t`Recordings of ${profile.name}`}</b>}>
      <QueryStatus of={voices} failure={t`The voices couldn’t be loaded`} height={80} />
      {voices.data?.length === 0 && <Empty>{t`No recordings that you may read.`}</Empty>}
      <ul className="ot-list" data-testid="profile-voices">
        {voices.data?.map((voice) => (
          <li key={voice.speaker_uuid}>
            <VoiceEntry voice={voice}>
              <Button
                size="compact-sm"
                variant="subtle"
                color="gray"
                disabled={decision.isListMoving}
                onClick={() => decision.mutate({ suggestion: { voice, profile }, action: 'reject' })}
                aria-label={t`${voiceName(voice)} in ${voice.file_title} is not ${profile.name}`}
              >
                {t`Not ${profile.name}`}
              </Button>
            </VoiceEntry>
          </li>
        ))}
      </ul>
      <RejectedVoices profile={profile} />
    </Modal>
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
      <ul className="ot-list" data-testid="rejected-voices">
        {voices.data.map((voice) => (
          <li key={voice.speaker_uuid}>
            <VoiceEntry voice={voice}>
              <Button
                size="compact-sm"
                variant="subtle"
                color="gray"
                disabled={decision.isListMoving}
                onClick={() => decision.mutate({ suggestion: { voice, profile }, action: 'accept_rejected' })}
                aria-label={t`It is ${profile.name}: ${voiceName(voice)} in ${voice.file_title}`}
              >
                {t`It is ${profile.name}`}
              </Button>
            </VoiceEntry>
          </li>
        ))}
      </ul>
    </>
  );
}
