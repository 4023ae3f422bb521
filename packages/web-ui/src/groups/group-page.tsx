import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Badge, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Pane, Section } from '../ui/pane.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { nameOf, originBadges } from '../ui/account-labels.ts';
import { call } from '../api/client.ts';
import { meQuery, type User } from '../api/queries.ts';
import { Icon } from '../ui/icons.tsx';
import { notify, notifyError } from '../ui/notify.ts';
import { AddMember } from './add-member.tsx';
import { GroupDialog } from './group-dialog.tsx';
import { groupQuery, type GroupDetail, type Member } from './group-queries.ts';

export function GroupPage() {
  const { uuid } = useParams({ from: '/inside/frame/groups/$uuid' });
  const me = useQuery(meQuery).data;
  const query = useQuery(groupQuery(uuid));
  const group = query.data;
  const admin = me !== undefined && me.role !== 'user';
  const manages = admin || group?.my_role === 'manager';
  return (
    <Pane
      title={group?.name ?? t`Group`}
      actions={group && manages && <GroupActions group={group} mayDelete={admin} />}
      back={{ to: '/groups', label: t`All groups` }}
    >
      <QueryStatus of={query} failure={t`The group couldn’t be loaded`} />
      {group && me && (
        <Stack gap="lg">
          {group.description !== '' && <Text style={{ overflowWrap: 'anywhere' }}>{group.description}</Text>}
          <Section title={plural(group.members.length, { one: '# member', other: '# members' })}>
            {manages && <AddMember group={group} />}
            {group.members.length === 0 ? (
              <Empty>{t`No members yet.`}</Empty>
            ) : (
              <ul className="ot-list" data-testid="members">
                {group.members.map((member) => (
                  <MemberEntry key={member.user_id} group={group} member={member} me={me} manages={manages} />
                ))}
              </ul>
            )}
          </Section>
        </Stack>
      )}
    </Pane>
  );
}

function GroupActions({ group, mayDelete }: { group: GroupDetail; mayDelete: boolean }) {
  const [dialog, setDialog] = useState<'edit' | 'delete' | null>(null);
  const client = useQueryClient();
  const navigate = useNavigate();
  return (
    <Group gap="sm">
      <Button variant="default" onClick={() => setDialog('edit')}>
        {t`Edit`}
      </Button>
      {mayDelete && (
        <Button variant="light" color="red" onClick={() => setDialog('delete')}>
          {t`Delete`}
        </Button>
      )}
      {dialog === 'edit' && (
        <GroupDialog group={group} onClose={() => setDialog(null)} onDone={() => notify(t`Group saved.`)} />
      )}
      {dialog === 'delete' && (
        <Confirm
          title={t`Delete “${group.name}”?`}
          action={t`Delete`}
          run={() => call('DELETE /api/groups/{uuid}', { params: { uuid: group.uuid } })}
          onDone={() => {
            void client.invalidateQueries({ queryKey: ['groups'] });
            notify(t`“${group.name}” has been deleted.`);
            void navigate({ to: '/groups' });
          }}
          onClose={() => setDialog(null)}
        >
          <Text>
            <Trans>
              Its members lose access to everything shared with the group. Mappings to this group only are deleted, too.
              You can’t undo this.
            </Trans>
          </Text>
        </Confirm>
      )}
    </Group>
  );
}

type EntryProps = { group: GroupDetail; member: Member; me: User; manages: boolean };

function MemberEntry({ group, member, me, manages }: EntryProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const params = { uuid: group.uuid, user_uuid: member.user_id };
  const self = member.user_id === me.uuid;
  const isManual = member.source === 'manual';
  const refresh = async (): Promise<void> => {
    await client.invalidateQueries({ queryKey: ['groups'] });
    await client.invalidateQueries({ queryKey: ['group', group.uuid] });
  };
  const change = useMutation({
    mutationFn: (role: Member['role']) =>
      call('PUT /api/groups/{uuid}/members/{user_uuid}', { params, body: { role } }),
    onSettled: refresh,
    onError: (error) => notifyError(t`The role wasn’t changed`, error),
  });
  const [asks, setAsks] = useState(false);
  return (
    <li className="ot-entry">
      <div>
        <Group gap="xs">
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {nameOf(member)}
          </Text>
          <Badge size="sm" variant="light" color={isManual ? 'gray' : 'petrol'}>
            {isManual ? originBadges['manual'] : t`From ${originBadges[member.source] ?? ''}`}
          </Badge>
          {!manages && member.role === 'manager' && (
            <Badge size="sm" variant="light">
              {t`manager`}
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {member.email}
        </Text>
      </div>
      <Group gap="xs" wrap="nowrap">
        {manages && (
          <NativeSelect
            size="xs"
            w={104}
            aria-label={t`Role of ${nameOf(member)} in the group`}
            data={[
              { value: 'member', label: t`Member` },
              { value: 'manager', label: t`Manager` },
            ]}
            value={member.role}
            disabled={change.isPending}
            onChange={(event) => change.mutate(event.currentTarget.value as Member['role'])}
          />
        )}
        {isManual && manages && (
          <ActionIcon aria-label={t`Remove ${nameOf(member)}`} onClick={() => setAsks(true)}>
            <Icon name="close" size={17} />
          </ActionIcon>
        )}
        {isManual && !manages && self && (
          <Button size="xs" variant="default" onClick={() => setAsks(true)}>
            {t`Leave`}
          </Button>
        )}
      </Group>
      {asks && (
        <RemoveMember
          group={group}
          member={member}
          self={self}
          onDone={() => {
            void refresh();
            if (self && me.role === 'user') void navigate({ to: '/groups' });
          }}
          onClose={() => setAsks(false)}
        />
      )}
    </li>
  );
}

type RemoveProps = {
  group: GroupDetail;
  member: Member;
  self: boolean;
  onDone: () => void;
  onClose: () => void;
};

function RemoveMember({ group, member, self, onDone, onClose }: RemoveProps) {
  const name = nameOf(member);
  const params = { uuid: group.uuid, user_uuid: member.user_id };
  return (
    <Confirm
      title={self ? t`Leave “${group.name}”?` : t`Remove ${name} from “${group.name}”?`}
      action={self ? t`Leave` : t`Remove`}
      run={() => call('DELETE /api/groups/{uuid}/members/{user_uuid}', { params })}
      onDone={() => {
        notify(self ? t`You left “${group.name}”.` : t`${name} was removed from the group.`);
        onDone();
      }}
      onClose={onClose}
    >
      <Text>
        {self
          ? t`You lose access to everything that only this group shares with you. Only a manager of the group can add you again.`
          : t`${name} loses access immediately to everything that only this group shares with them.`}
      </Text>
    </Confirm>
  );
}
