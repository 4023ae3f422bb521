import { plural, t } from '@lingui/core/macro';
import { Badge, Button, Checkbox, Group, Modal, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { duration } from '../lib/format.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { notifyError } from '../ui/notify.ts';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { DeleteProfile } from './delete-profile.tsx';
import { MoveProfile } from './move-profile.tsx';
import { useOwnGroups } from './owner-select.tsx';
import { audienceText, groupLabel, profileLabel, type OwnGroup } from './profile-owner.ts';
import { useDecision } from './use-decision.ts';
import { VoiceEntry } from './voice-entry.tsx';
import { occurrencesQuery, profilesQuery, voiceName, type Profile } from './voice-queries.ts';
import { VoiceSample } from './voice-sample.tsx';

type Action = 'voices' | 'edit' | 'move' | 'split' | 'delete';
type Dialog = { kind: Action; profile: Profile } | null;

/** People whose voice is known. */
export function Profiles() {
  const profiles = useQuery(profilesQuery);
  const { groups } = useOwnGroups();
  const [dialog, setDialog] = useState<Dialog>(null);
  if (!profiles.data) return <QueryStatus of={profiles} failure={t`The profiles couldn’t be loaded`} />;
  const all = profiles.data.profiles;
  if (all.length === 0) return <Empty>{t`No profiles yet. Name a speaker of a recording to create one.`}</Empty>;
  return (
    <>
      {profiles.isError && <QueryStatus of={profiles} failure={t`The profiles couldn’t be loaded`} />}
      <ul className="ot-list" data-testid="profiles">
        {all.map((profile) => (
          <Entry
            key={profile.uuid}
            profile={profile}
            groups={groups}
            onAction={(kind) => setDialog({ kind, profile })}
          />
        ))}
      </ul>
      {dialog?.kind === 'voices' && <ProfileVoices profile={dialog.profile} onClose={() => setDialog(null)} />}
      {dialog?.kind === 'edit' && (
        <EditProfile
          profile={dialog.profile}
          others={all.filter(({ uuid }) => uuid !== dialog.profile.uuid)}
          groups={groups}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog?.kind === 'move' && <MoveProfile profile={dialog.profile} onClose={() => setDialog(null)} />}
      {dialog?.kind === 'split' && <SplitProfile profile={dialog.profile} onClose={() => setDialog(null)} />}
      {dialog?.kind === 'delete' && <DeleteProfile profile={dialog.profile} onClose={() => setDialog(null)} />}
    </>
  );
}

type EntryProps = { profile: Profile; groups: readonly OwnGroup[]; onAction: (kind: Action) => void };

function Entry({ profile, groups, onAction }: EntryProps) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (auto_apply: boolean) =>
      call('PUT /api/speaker-profiles/{uuid}', { params: { uuid: profile.uuid }, body: { auto_apply } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['voices'] }),
    onError: (error) => notifyError(t`The profile wasn’t changed`, error),
  });
  const { name, files, speakers, seconds, group_uuid: groupId } = profile;
  return (
    <li className="ot-card" data-testid="profile" data-name={name}>
      <Group p="sm" gap="sm" justify="space-between">
        <div style={{ flex: '1 1 200px', minWidth: 0 }}>
          <Group gap="xs">
            <Text fw={600} truncate>
              {name}
            </Text>
            {groupId !== null && (
              <Badge size="sm" variant="light" tt="none" maw="100%" data-testid="profile-group">
                {groupLabel(groupId, groups)}
              </Badge>
            )}
          </Group>
          <Text size="sm" c="dimmed">
            {plural(files, { one: '# recording', other: '# recordings' })} · {duration(seconds)}
          </Text>
        </div>
        <Switch
          label={t`Apply without asking`}
          aria-label={t`Apply ${name} without asking`}
          checked={profile.auto_apply}
          disabled={change.isPending}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
        <Group gap={4}>
          {files > 0 && (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={t`Recordings of ${name}`}
              onClick={() => onAction('voices')}
            >
              {t`Recordings`}
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t`Rename or merge ${name}`}
            onClick={() => onAction('edit')}
          >
            {t`Rename or merge`}
          </Button>
          {(groupId !== null || groups.length > 0) && (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={groupId === null ? t`Move ${name} to a group` : t`Move ${name} out of its group`}
              onClick={() => onAction('move')}
            >
              {t`Move`}
            </Button>
          )}
          {speakers > 1 && (
            <Button size="compact-sm" variant="default" aria-label={t`Split ${name}`} onClick={() => onAction('split')}>
              {t`Split`}
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            aria-label={t`Delete ${name}`}
            onClick={() => onAction('delete')}
          >
            {t`Delete`}
          </Button>
        </Group>
      </Group>
    </li>
  );
}

type DialogProps = { profile: Profile; onClose: () => void };

/** Where the person speaks, to correct a single voice. */
function ProfileVoices({ profile, onClose }: DialogProps) {
  const voices = useQuery(occurrencesQuery(profile.uuid));
  const decision = useDecision();
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
                disabled={decision.isPending}
                onClick={() => decision.mutate({ suggestion: { voice, profile }, action: 'reject' })}
                aria-label={t`${voiceName(voice)} in ${voice.file_title} is not ${profile.name}`}
              >
                {t`Not ${profile.name}`}
              </Button>
            </VoiceEntry>
          </li>
        ))}
      </ul>
    </Modal>
  );
}

type EditProps = DialogProps & { others: readonly Profile[]; groups: readonly OwnGroup[] };

function EditProfile({ profile, others, groups, onClose }: EditProps) {
  const client = useQueryClient();
  const [name, setName] = useState(profile.name);
  const [target, setTarget] = useState<string | null>(null);
  const chosen = others.find(({ uuid }) => uuid === target);
  const save = useMutation({
    mutationFn: () =>
      target === null
        ? call('PUT /api/speaker-profiles/{uuid}', { params: { uuid: profile.uuid }, body: { name: name.trim() } })
        : call('POST /api/speaker-profiles/{uuid}/merge/{target_uuid}', {
            params: { uuid: profile.uuid, target_uuid: target },
          }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['voices'] });
      void client.invalidateQueries({ queryKey: ['file'] });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={<b>{t`Profile ${profile.name}`}</b>}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!save.isPending) save.mutate();
        }}
      >
        <Stack gap="md">
          {save.error && <ErrorNote error={save.error} title={t`The profile wasn’t changed`} />}
          <TextInput
            label={t`Name`}
            required
            maxLength={200}
            value={name}
            disabled={target !== null}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {others.length > 0 && (
            <Select
              label={t`The same person as`}
              description={t`All voices move to the other profile.`}
              clearable
              data={others.map((other) => ({ value: other.uuid, label: profileLabel(other, groups) }))}
              value={target}
              onChange={setTarget}
            />
          )}
          {chosen && chosen.group_uuid !== profile.group_uuid && (
            <Text size="sm" role="status">
              {audienceText(chosen.group_uuid, groups)}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t`Cancel`}
            </Button>
            <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
              {target === null ? t`Save` : t`Merge`}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function SplitProfile({ profile, onClose }: DialogProps) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string[]>([]);
  const voices = useQuery(occurrencesQuery(profile.uuid));
  const split = useMutation({
    mutationFn: () =>
      call('POST /api/speaker-profiles/{uuid}/split', {
        params: { uuid: profile.uuid },
        body: { name: name.trim(), speaker_uuids: chosen },
      }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['voices'] });
      void client.invalidateQueries({ queryKey: ['file'] });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={<b>{t`Split ${profile.name}`}</b>}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!split.isPending) split.mutate();
        }}
      >
        <Stack gap="md">
          {split.error && <ErrorNote error={split.error} title={t`The profile wasn’t split`} />}
          <Text size="sm">{t`Choose the voices that are another person.`}</Text>
          <QueryStatus of={voices} failure={t`The voices couldn’t be loaded`} height={80} />
          <Stack gap="xs">
            {voices.data?.map((voice) => (
              <Group key={voice.speaker_uuid} gap="xs" wrap="nowrap">
                <VoiceSample voice={voice} />
                <Checkbox
                  label={`${voice.file_title} · ${voiceName(voice)}`}
                  checked={chosen.includes(voice.speaker_uuid)}
                  onChange={(event) =>
                    setChosen(
                      event.currentTarget.checked
                        ? [...chosen, voice.speaker_uuid]
                        : chosen.filter((uuid) => uuid !== voice.speaker_uuid),
                    )
                  }
                />
              </Group>
            ))}
          </Stack>
          <TextInput
            label={t`Name of the other person`}
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t`Cancel`}
            </Button>
            <Button type="submit" loading={split.isPending} disabled={name.trim() === '' || chosen.length === 0}>
              {t`Split`}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
