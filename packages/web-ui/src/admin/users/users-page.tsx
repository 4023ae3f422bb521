import { plural, t } from '@lingui/core/macro';
import { Badge, Button, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { ago, moment } from '../../lib/format.ts';
import { FilterSelect } from '../../ui/filter-select.tsx';
import { Pane } from '../../ui/pane.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Pager } from '../../ui/pager.tsx';
import { AccountStatusBadge } from './account-status-badge.tsx';
import { nameOf, originBadges, originNames, roleNames, type Account } from '../../ui/account-labels.ts';
import { CreateUserDialog } from './create-user-dialog.tsx';
import { states, userPageSize, usersQuery } from './user-queries.ts';
import { Sheet } from '../../ui/sheet.tsx';

type Filters = Record<string, string>;
const route = '/inside/frame/admin/users';

export function UsersPage() {
  const filters = useSearch({ from: route });
  const navigate = useNavigate({ from: '/admin/users' });
  const [creating, setCreating] = useState(false);
  const users = useQuery(usersQuery(filters));
  const change = (next: Filters): void => {
    const { page: _, ...rest } = filters;
    void navigate({ search: { ...rest, ...next }, replace: true });
  };
  return (
    <Pane
      title={t`Users`}
      actions={
        <Button leftSection={<Icon name="plus" size={17} />} onClick={() => setCreating(true)}>
          {t`Add user`}
        </Button>
      }
    >
      <Bar filters={filters} onChange={change} />
      <QueryStatus of={users} failure={t`The users couldn’t be loaded`} />
      {users.data && <UserTable users={users.data.items} filters={filters} onChange={change} />}
      {users.data && (
        <>
          <Text size="sm" c="dimmed" mt="sm" aria-live="polite">
            {plural(users.data.total, { one: '# account', other: '# accounts' })}
          </Text>
          <Pager
            page={users.data.page}
            total={users.data.total}
            size={userPageSize}
            onPage={(page) => void navigate({ search: { ...filters, page: String(page) } })}
          />
        </>
      )}
      {creating && <CreateUserDialog onClose={() => setCreating(false)} />}
    </Pane>
  );
}

function Bar({ filters, onChange }: { filters: Filters; onChange: (next: Filters) => void }) {
  return (
    <div className="ot-bar" role="search" aria-label={t`Find users`}>
      <SearchBox
        label={t`Name, e-mail address or directory login`}
        value={filters['q'] ?? ''}
        onChange={(text) => onChange({ q: text })}
      />
      <FilterSelect
        label={t`Role`}
        any={t`Any role`}
        labels={roleNames}
        value={filters['role']}
        onChange={(role) => onChange({ role })}
      />
      <FilterSelect
        label={t`Origin`}
        any={t`Any origin`}
        labels={originNames}
        value={filters['origin']}
        onChange={(origin) => onChange({ origin })}
      />
      <FilterSelect
        label={t`State`}
        any={t`Any state`}
        labels={Object.fromEntries(Object.entries(states).map(([value, { label }]) => [value, label]))}
        value={filters['state']}
        onChange={(state) => onChange({ state })}
      />
    </div>
  );
}

type UserTableProps = { users: readonly Account[]; filters: Filters; onChange: (next: Filters) => void };

function UserTable({ users, filters, onChange }: UserTableProps) {
  if (users.length === 0) return <Empty>{t`No account matches.`}</Empty>;
  const sort = filters['sort'] ?? 'full_name';
  const order = filters['order'] ?? 'asc';
  const head = (by: string, label: string) => (
    <SortHead
      key={by}
      label={label}
      sorted={sort === by ? (order === 'asc' ? 'ascending' : 'descending') : 'none'}
      onSort={() => onChange({ sort: by, order: sort === by && order === 'asc' ? 'desc' : 'asc' })}
    />
  );
  return (
    <Sheet
      testId="users"
      card
      heads={[head('full_name', t`Name`), t`Role`, t`Origin`, t`State`, head('last_login_at', t`Last sign-in`)]}
    >
      {users.map((user) => (
        <UserRow key={user.uuid} user={user} />
      ))}
    </Sheet>
  );
}

type SortProps = { label: string; sorted: 'ascending' | 'descending' | 'none'; onSort: () => void };

function SortHead({ label, sorted, onSort }: SortProps) {
  return (
    <Table.Th aria-sort={sorted}>
      <Button
        variant="transparent"
        color="gray"
        size="compact-sm"
        px={0}
        fw={700}
        c="inherit"
        onClick={onSort}
        rightSection={
          sorted === 'none' ? null : <Icon name={sorted === 'ascending' ? 'chevronUp' : 'chevronDown'} size={14} />
        }
      >
        {label}
      </Button>
    </Table.Th>
  );
}

function UserRow({ user }: { user: Account }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Link to="/admin/users/$uuid" params={{ uuid: user.uuid }} className="ot-row-link" dir="auto">
          {nameOf(user)}
        </Link>
        {user.full_name !== '' && (
          <Text size="xs" c="dimmed">
            {user.email}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{roleNames[user.role]}</Table.Td>
      <Table.Td>
        <Badge variant="light" color="gray">
          {originBadges[user.auth_type]}
        </Badge>
      </Table.Td>
      <Table.Td>
        <AccountStatusBadge account={user} />
      </Table.Td>
      <Table.Td
        data-label={t`Last sign-in`}
        title={user.last_login_at === null ? undefined : moment(user.last_login_at)}
      >
        {user.last_login_at === null ? t`never` : ago(user.last_login_at)}
      </Table.Td>
    </Table.Tr>
  );
}
