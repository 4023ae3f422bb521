import { plural, t } from '@lingui/core/macro';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { notify, notifyError } from '../ui/notify.ts';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { clustersQuery, type Voice } from './voice-queries.ts';
import { VoiceSample } from './voice-sample.tsx';

/** Voices of a group that are listed. */
const shown = 5;

/** Voices without a name, grouped by person, with one name for all of a group. */
export function Clusters() {
  const clusters = useQuery(clustersQuery);
  if (!clusters.data) return <QueryStatus of={clusters} failure={t`The voices couldn’t be loaded`} />;
  const { clusters: found, too_short: tooShort } = clusters.data;
  return (
    <>
      {found.length === 0 && <Empty>{t`No voices without a name.`}</Empty>}
      <Stack gap="md" component="ul" m={0} p={0} style={{ listStyle: 'none' }} data-testid="clusters">
        {found.map(({ voices }) => (
          <Cluster key={voices[0]?.speaker_uuid} voices={voices} />
        ))}
      </Stack>
      {tooShort > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          {plural(tooShort, {
            one: '# voice is not compared yet, or speaks too little to be recognised.',
            other: '# voices are not compared yet, or speak too little to be recognised.',
          })}
        </Text>
      )}
    </>
  );
}

function Cluster({ voices }: { voices: readonly Voice[] }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const refresh = () => client.invalidateQueries({ queryKey: ['voices'] });
  const create = useMutation({
    mutationFn: () =>
      call('POST /api/speaker-profiles', {
        body: { name: name.trim(), speaker_uuids: voices.map(({ speaker_uuid }) => speaker_uuid) },
      }),
    onSuccess: (profile) => {
      notify(t`Named ${profile.name}.`);
      for (const { file_uuid: uuid } of voices) void client.invalidateQueries({ queryKey: ['file', uuid] });
      return refresh();
    },
    onError: (error) => notifyError(t`The name wasn’t saved`, error),
  });
  const separate = useMutation({
    mutationFn: (voice: Voice) =>
      call('POST /api/speaker-clusters/separate', {
        body: {
          speaker_uuid: voice.speaker_uuid,
          other_uuids: voices.filter((other) => other !== voice).map(({ speaker_uuid }) => speaker_uuid),
        },
      }),
    onSuccess: refresh,
    onError: (error) => notifyError(t`The voices weren’t separated`, error),
  });
  const files = new Set(voices.map(({ file_uuid }) => file_uuid)).size;
  const first = voices[0]?.file_title ?? '';
  return (
    <li className="ot-card" style={{ padding: '1rem' }} data-testid="cluster">
      <Text fw={600} mb="xs">
        {plural(files, { one: 'This voice speaks in # recording', other: 'This voice speaks in # recordings' })}
      </Text>
      <ul className="ot-list">
        {voices.slice(0, shown).map((voice) => (
          <li key={voice.speaker_uuid}>
            <Group gap="xs" p={4} justify="space-between">
              <Text size="sm" truncate style={{ flex: '1 1 160px', minWidth: 0 }}>
                <Link to="/files/$uuid" params={{ uuid: voice.file_uuid }}>
                  {voice.file_title}
                </Link>
                {' · '}
                {voice.label}
              </Text>
              <Group gap={4}>
                <VoiceSample voice={voice} />
                {voices.length > 1 && (
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    color="gray"
                    disabled={separate.isPending}
                    onClick={() => separate.mutate(voice)}
                    aria-label={t`Not the same person: ${voice.label} in ${voice.file_title}`}
                  >
                    {t`Not the same person`}
                  </Button>
                )}
              </Group>
            </Group>
          </li>
        ))}
      </ul>
      {voices.length > shown && (
        <Text size="sm" c="dimmed" mt={4}>
          {t`and ${voices.length - shown} more`}
        </Text>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '' && !create.isPending) create.mutate();
        }}
      >
        <Group mt="sm" gap="xs" align="end">
          <TextInput
            aria-label={t`Name of the voice in ${first}`}
            placeholder={t`Name`}
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            style={{ flex: '1 1 160px', maxWidth: 280 }}
          />
          <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
            {plural(voices.length, { one: 'Name this voice', other: 'Name all # voices' })}
          </Button>
        </Group>
      </form>
    </li>
  );
}
