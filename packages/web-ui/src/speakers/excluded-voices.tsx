import { plural, t } from '@lingui/core/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { notify, notifyError } from '../ui/notify.ts';
import { Section } from '../ui/pane.tsx';
import { QueryStatus } from '../ui/query-status.tsx';
import { VoiceEntry } from './voice-entry.tsx';
import { excludedVoicesQuery, voiceInRecording, type ExcludedVoice } from './voice-queries.ts';

/** Recordings that are listed of one person. */
const shown = 5;

/** The people in the user's own recordings whose profile was deleted, to store their voices again. */
export function ExcludedVoices() {
  const voices = useQuery(excludedVoicesQuery);
  if (voices.isError) return <QueryStatus of={voices} failure={t`The voices of deleted profiles couldn’t be loaded`} />;
  if (!voices.data || voices.data.length === 0) return null;
  const people = Map.groupBy(voices.data, ({ name, speaker_uuid: id }) => name?.toLowerCase() ?? id);
  return (
    <Section title={t`Voices of deleted profiles`}>
      <Text size="sm" c="dimmed" mb="sm">
        {t`These voices in your recordings are not stored and not recognised, because their profile was deleted. Their names stay in the transcripts.`}
      </Text>
      <Stack gap="md" component="ul" m={0} p={0} style={{ listStyle: 'none' }} data-testid="excluded-voices">
        {[...people].map(([key, of]) => (
          <Person key={key} voices={of} />
        ))}
      </Stack>
    </Section>
  );
}

function Person({ voices }: { voices: readonly ExcludedVoice[] }) {
  const client = useQueryClient();
  const [first] = voices;
  const name = first?.name ?? (first ? voiceInRecording(first) : '');
  const allow = useMutation({
    mutationFn: () =>
      call('POST /api/speaker-profiles/excluded-voices/allow', {
        body: { speaker_uuids: voices.map(({ speaker_uuid: id }) => id) },
      }),
    onSuccess: () => notify(t`The voice of ${name} is stored and recognised again.`),
    onError: (error) => notifyError(t`The voice is still not stored`, error),
    onSettled: () => client.invalidateQueries({ queryKey: ['voices'] }),
  });
  const more = voices.length - shown;
  return (
    <li data-name={name}>
      <Group gap="sm" justify="space-between">
        <Text fw={600} style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
          {name}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          loading={allow.isPending}
          onClick={() => allow.mutate()}
          aria-label={t`Allow again: the voice of ${name}`}
        >
          {t`Allow again`}
        </Button>
      </Group>
      <ul className="ot-list">
        {voices.slice(0, shown).map((voice) => (
          <li key={voice.speaker_uuid}>
            <VoiceEntry voice={voice} />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Text size="sm" c="dimmed">
          {plural(more, { one: 'And # more recording', other: 'And # more recordings' })}
        </Text>
      )}
    </li>
  );
}
