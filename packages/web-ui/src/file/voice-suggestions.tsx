import { t } from '@lingui/core/macro';
import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DecisionButtons } from '../speakers/decision-buttons.tsx';
import { useDecision } from '../speakers/use-decision.ts';
import { percentOf, voiceName, voiceSuggestionsQuery } from '../speakers/voice-queries.ts';
import { VoiceSample } from '../speakers/voice-sample.tsx';

/** Who the speakers of a file probably are, by their voices. */
export function VoiceSuggestions({ fileId }: { fileId: string }) {
  const suggestions = useQuery(voiceSuggestionsQuery(fileId)).data?.suggestions ?? [];
  const decision = useDecision();
  if (suggestions.length === 0) return null;
  return (
    <Stack gap="xs" mb="sm" data-testid="voice-suggestions">
      {suggestions.map((suggestion) => {
        const { voice, profile, confidence } = suggestion;
        const percent = percentOf(confidence);
        return (
          <div key={voice.speaker_uuid}>
            <Text size="sm">{t`${voiceName(voice)} is probably ${profile.name} (${percent} %)`}</Text>
            <Group gap={4}>
              <VoiceSample voice={voice} />
              <DecisionButtons
                speaker={voiceName(voice)}
                profile={profile}
                size="compact-xs"
                disabled={decision.isListMoving}
                onDecide={(action) => decision.mutate({ suggestion, action })}
              />
            </Group>
          </div>
        );
      })}
    </Stack>
  );
}
