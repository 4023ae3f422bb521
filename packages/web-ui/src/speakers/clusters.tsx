import { plural, t } from '@lingui/core/macro';
import { Autocomplete, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';
import { codeOf } from '../api/problem.ts';
import { notifyWithUndo } from '../ui/action-toast.tsx';
import { notify, notifyError } from '../ui/notify.ts';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { decisionText } from './decisions.ts';
import { OwnerSelect, useOwnGroups } from './owner-select.tsx';
import { audienceText, groupLabel, profileOfName } from './profile-owner.ts';
import { keysFor, noKeys, withoutMember, type GroupKeys } from './group-keys.ts';
import { VoiceEntry } from './voice-entry.tsx';
import { clustersQuery, profilesQuery, voiceInRecording, voiceName, type Voice } from './voice-queries.ts';

type Found = ResponseBody<'GET /api/speaker-clusters'>;

/** Voices of a group that are listed before all are requested. */
const shown = 5;
/** Voices from which a group is kept apart that are named. */
const listedApart = 3;

/** Voices without a name, grouped by person, with one name for all of a group. */
export function Clusters() {
  const clusters = useQuery(clustersQuery);
  const { keys, onSeparate } = useGroupKeys(clusters.data);
  if (!clusters.data) return <QueryStatus of={clusters} failure={t`The voices couldn’t be loaded`} />;
  const { clusters: found, waiting } = clusters.data;
  return (
    <>
      {clusters.isError && <QueryStatus of={clusters} failure={t`The voices couldn’t be loaded`} />}
      {found.length === 0 && waiting === 0 && (
        <Empty>{t`No voices without a name. New recordings appear here after their transcription.`}</Empty>
      )}
      <NotCompared found={clusters.data} />
      <Stack gap="md" component="ul" m={0} p={0} style={{ listStyle: 'none' }} data-testid="clusters">
        {found.map(({ voices, kept_apart: keptApart }, i) => (
          // Voices may join or leave the group while a name is typed.
          <Cluster key={keys[i]} voices={voices} keptApart={keptApart} onSeparate={onSeparate} />
        ))}
      </Stack>
    </>
  );
}

/** Keys of the groups: what was typed for a group stays with it. */
function useGroupKeys(found: Found | undefined) {
  const [known, setKnown] = useState<{ found: Found | undefined; groups: GroupKeys }>({
    found: undefined,
    groups: noKeys,
  });
  const groups =
    found === undefined || found === known.found
      ? known.groups
      : keysFor(
          found.clusters.map(({ voices }) => voices.map(({ speaker_uuid: id }) => id)),
          known.groups,
        );
  if (groups !== known.groups) setKnown({ found, groups });
  const onSeparate = ({ speaker_uuid: id }: Voice): void =>
    setKnown((now) => ({ ...now, groups: withoutMember(now.groups, id) }));
  return { keys: groups.keys, onSeparate };
}

/** Why voices are not among the groups. */
function NotCompared({ found: { waiting, failed, too_short: tooShort } }: { found: Found }) {
  const lines = [
    waiting > 0 &&
      plural(waiting, { one: '# more voice is being compared.', other: '# more voices are being compared.' }),
    failed > 0 &&
      plural(failed, {
        one: '# voice can’t be compared, because its recording couldn’t be processed.',
        other: '# voices can’t be compared, because their recordings couldn’t be processed.',
      }),
    tooShort > 0 &&
      plural(tooShort, {
        one: '# voice speaks too little to be recognised again.',
        other: '# voices speak too little to be recognised again.',
      }),
  ].filter((line) => line !== false);
  if (lines.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" mb="md" role="status" data-testid="not-compared">
      {lines.join(' ')}
    </Text>
  );
}

type ClusterProps = {
  readonly voices: readonly Voice[];
  /** Voices that a person said are not the same. */
  readonly keptApart: readonly Voice[];
  readonly onSeparate: (voice: Voice) => void;
};

function Cluster({ voices, keptApart, onSeparate }: ClusterProps) {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const refresh = () => client.invalidateQueries({ queryKey: ['voices'] });
  const undoSeparation = async (separated: readonly Voice[], others: readonly Voice[]): Promise<void> => {
    try {
      await call('POST /api/speaker-clusters/separate/undo', {
        body: { speaker_uuids: idsOf(separated), other_uuids: idsOf(others) },
      });
    } finally {
      void refresh();
    }
  };
  const separate = useMutation({
    mutationFn: ({ voice, others }: { voice: Voice; others: readonly Voice[] }) =>
      call('POST /api/speaker-clusters/separate', {
        body: { speaker_uuid: voice.speaker_uuid, other_uuids: idsOf(others) },
      }),
    onMutate: ({ voice }) => onSeparate(voice),
    onSuccess: (_, { voice, others }) => {
      notifyWithUndo(t`${voiceName(voice)} in ${voice.file_title} is kept apart.`, () =>
        undoSeparation([voice], others),
      );
      return refresh();
    },
    onError: (error) => notifyError(t`The voices weren’t separated`, error),
  });
  const files = new Set(voices.map(({ file_uuid }) => file_uuid)).size;
  const listed = isOpen ? voices : voices.slice(0, shown);
  return (
    <li className="ot-card" style={{ padding: '1rem' }} data-testid="cluster">
      <Text fw={600} mb="sm">
        {plural(files, { one: 'This voice speaks in # recording', other: 'This voice speaks in # recordings' })}
      </Text>
      <ul className="ot-list">
        {listed.map((voice) => (
          <li key={voice.speaker_uuid}>
            <VoiceEntry voice={voice}>
              {voices.length > 1 && (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="gray"
                  disabled={separate.isPending}
                  onClick={() => separate.mutate({ voice, others: voices.filter((other) => other !== voice) })}
                  aria-label={t`Not the same person: ${voiceName(voice)} in ${voice.file_title}`}
                >
                  {t`Not the same person`}
                </Button>
              )}
            </VoiceEntry>
          </li>
        ))}
      </ul>
      {voices.length > listed.length && (
        <Button size="compact-sm" variant="subtle" color="gray" mt="xs" onClick={() => setOpen(true)}>
          {t`Show ${voices.length - listed.length} more`}
        </Button>
      )}
      {keptApart.length > 0 && <KeptApart voices={keptApart} onUndo={() => undoSeparation(voices, keptApart)} />}
      <NameForm voices={voices} />
    </li>
  );
}

function idsOf(voices: readonly Voice[]): string[] {
  return voices.map(({ speaker_uuid: id }) => id);
}

/** From which voices a group is kept apart, to take that back. */
function KeptApart({ voices, onUndo }: { voices: readonly Voice[]; onUndo: () => Promise<void> }) {
  const undo = useMutation({
    mutationFn: onUndo,
    onSuccess: () => notify(t`The voices are compared again.`),
    onError: (error) =>
      // Taken back elsewhere, after the page was loaded.
      codeOf(error) === 'voice_decided'
        ? notify(t`The voices were not kept apart any more.`)
        : notifyError(t`The voices are still kept apart`, error),
  });
  const listed = voices.slice(0, listedApart).map(voiceInRecording).join(', ');
  const more = voices.length - listedApart;
  return (
    <Group gap="xs" mt="xs" data-testid="kept-apart">
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
        {more > 0
          ? plural(more, {
              one: `Not the same person as ${listed} and # other voice.`,
              other: `Not the same person as ${listed} and # other voices.`,
            })
          : t`Not the same person as ${listed}.`}
      </Text>
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        loading={undo.isPending}
        onClick={() => undo.mutate()}
        aria-label={t`Can be the same person: ${listed}`}
      >
        {t`Can be the same person`}
      </Button>
    </Group>
  );
}

function namedText(voices: readonly Voice[], name: string): string {
  const [voice] = voices;
  return voice && voices.length === 1
    ? decisionText('accept', { voice, name })
    : plural(voices.length, { other: `# voices are named ${name}.` });
}

/** One name for all voices: of a new profile, or of one that exists. */
function NameForm({ voices }: { voices: readonly Voice[] }) {
  const client = useQueryClient();
  const profiles = useQuery(profilesQuery).data?.profiles ?? [];
  const { groups } = useOwnGroups();
  const [name, setName] = useState('');
  const [owner, setOwner] = useState<string | null>(null);
  const known = profileOfName(profiles, name);
  const groupId = known ? known.group_uuid : owner;
  const create = useMutation({
    mutationFn: async () => {
      const wanted = name.trim();
      const ids = idsOf(voices);
      return known
        ? call('PUT /api/speaker-profiles/{uuid}', { params: { uuid: known.uuid }, body: { speaker_uuids: ids } })
        : call('POST /api/speaker-profiles', { body: { name: wanted, group_uuid: owner, speaker_uuids: ids } });
    },
    onSuccess: (profile) => notify(namedText(voices, profile.name)),
    onError: (error) => notifyError(t`The name wasn’t saved`, error),
    onSettled: () => {
      for (const { file_uuid: uuid } of voices) void client.invalidateQueries({ queryKey: ['file', uuid] });
      return client.invalidateQueries({ queryKey: ['voices'] });
    },
  });
  const title = voices[0]?.file_title ?? '';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '' && !create.isPending) create.mutate();
      }}
    >
      <Group mt="sm" gap="xs" align="end">
        <Autocomplete
          aria-label={t`Name of the voice in ${title}`}
          placeholder={t`Name`}
          maxLength={200}
          data={[...new Set(profiles.map((profile) => profile.name))]}
          value={name}
          onChange={setName}
          style={{ flex: '1 1 160px', maxWidth: 280 }}
        />
        {groups.length > 0 && !known && (
          <OwnerSelect
            aria-label={t`Who sees the profile of the voice in ${title}`}
            groups={groups}
            value={owner}
            onChange={setOwner}
            style={{ flex: '0 1 200px' }}
          />
        )}
        <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
          {plural(voices.length, { one: 'Name this voice', other: 'Name all # voices' })}
        </Button>
      </Group>
      {(known || groupId !== null) && (
        <Text size="sm" c="dimmed" mt="xs" role="status">
          {known &&
            plural(voices.length, {
              one: `The voice is added to the existing profile ${known.name}.`,
              other: `The voices are added to the existing profile ${known.name}.`,
            })}{' '}
          {known && groupId !== null && `${groupLabel(groupId, groups)}: `}
          {groupId !== null && audienceText(groupId, groups)}
        </Text>
      )}
    </form>
  );
}
