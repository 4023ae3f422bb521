import { t } from '@lingui/core/macro';
import { Button, Group, Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { notifyError } from '../ui/notify.ts';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { DeleteProfile } from './delete-profile.tsx';
import { EditProfile } from './edit-profile.tsx';
import { MoveProfile } from './move-profile.tsx';
import { useOwnGroups } from './owner-select.tsx';
import type { OwnGroup } from './profile-owner.ts';
import { ProfileSummary } from './profile-summary.tsx';
import { ProfileVoices } from './profile-voices.tsx';
import { SplitProfile } from './split-profile.tsx';
import { profilesQuery, type Profile } from './voice-queries.ts';

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
      {dialog?.kind === 'split' && (
        <SplitProfile profile={dialog.profile} profiles={all} onClose={() => setDialog(null)} />
      )}
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
  const { name, speakers, group_uuid: groupId } = profile;
  return (
    <li className="ot-card" data-testid="profile" data-name={name}>
      <Group p="sm" gap="sm" justify="space-between">
        <ProfileSummary profile={profile} groups={groups} />
        {groupId === null && (
          <Switch
            label={t`Apply without asking`}
            aria-label={t`Apply ${name} without asking`}
            checked={profile.auto_apply}
            disabled={change.isPending}
            onChange={(event) => change.mutate(event.currentTarget.checked)}
          />
        )}
        <Group gap={4}>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t`Recordings of ${name}`}
            onClick={() => onAction('voices')}
          >
            {t`Recordings`}
          </Button>
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
