import { plural, t } from '@lingui/core/macro';
import { Badge, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Pane } from '../ui/pane.tsx';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { meQuery } from '../api/queries.ts';
import { Icon } from '../ui/icons.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { GroupDialog } from './group-dialog.tsx';
import { groupsQuery, type GroupItem } from './group-queries.ts';

export function GroupsPage() {
  const { q: text = '' } = useSearch({ from: '/inside/frame/groups' });
  const navigate = useNavigate({ from: '/groups' });
  const admin = useQuery(meQuery).data?.role !== 'user';
  const groups = useQuery(groupsQuery(text));
  const [creating, setCreating] = useState(false);
  const emptyText = admin ? t`No groups yet.` : t`You aren’t in any group.`;
  return (
    <Pane
      title={t`Groups`}
      actions={
        admin && (
          <Button leftSection={<Icon name="plus" size={17} />} onClick={() => setCreating(true)}>
            {t`Add group`}
          </Button>
        )
      }
    >
      <div className="ot-bar" role="search" aria-label={t`Find groups`}>
        <SearchBox
          label={t`Name of a group`}
          value={text}
          onChange={(next) => void navigate({ search: next === '' ? {} : { q: next }, replace: true })}
        />
      </div>
      <QueryStatus of={groups} failure={t`The groups couldn’t be loaded`} />
      {groups.data?.length === 0 && <Empty>{text === '' ? emptyText : t`No group matches.`}</Empty>}
      {groups.data && groups.data.length > 0 && (
        <ul className="ot-list" data-testid="groups">
          {groups.data.map((group) => (
            <GroupEntry key={group.uuid} group={group} />
          ))}
        </ul>
      )}
      {creating && (
        <GroupDialog
          onClose={() => setCreating(false)}
          onDone={({ uuid }) => void navigate({ to: '/groups/$uuid', params: { uuid } })}
        />
      )}
    </Pane>
  );
}

function GroupEntry({ group }: { group: GroupItem }) {
  return (
    <li className="ot-card" style={{ padding: '0.75rem 1rem' }}>
      <div className="ot-entry">
        <div>
          <Group gap="xs">
            <Link to="/groups/$uuid" params={{ uuid: group.uuid }} className="ot-row-link" dir="auto">
              {group.name}
            </Link>
            {group.my_role !== null && (
              <Badge size="sm" variant="light">
                {group.my_role === 'manager' ? t`Manager` : t`Member`}
              </Badge>
            )}
          </Group>
          {group.description !== '' && (
            <Text size="xs" c="dimmed" lineClamp={2}>
              {group.description}
            </Text>
          )}
        </div>
        <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {plural(group.member_count, { one: '# member', other: '# members' })}
        </Text>
      </div>
    </li>
  );
}
