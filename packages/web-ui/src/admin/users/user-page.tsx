import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { meQuery } from '../../api/queries.ts';
import { moment } from '../../lib/format.ts';
import { Pane, Section } from '../../ui/pane.tsx';
import { AccountStatusBadge } from './account-status-badge.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { nameOf, originNames, roleNames, type Account } from '../../ui/account-labels.ts';
import { permissionsOf } from './account-permissions.ts';
import { UserCertificate } from './user-certificate.tsx';
import { UserAccess } from './user-access.tsx';
import { UserForm } from './user-form.tsx';
import { userQuery } from './user-queries.ts';
import { UserSessions } from './user-sessions.tsx';

export function UserPage() {
  const { uuid } = useParams({ from: '/inside/frame/admin/users/$uuid' });
  const me = useQuery(meQuery).data;
  const user = useQuery(userQuery(uuid));
  const account = user.data;
  const permissions = account && me ? permissionsOf(me, account) : null;
  return (
    <Pane
      title={account ? nameOf(account) : 'User'}
      actions={account && <AccountStatusBadge account={account} />}
      back={{ to: '/admin/users', label: 'All users' }}
    >
      <QueryStatus of={user} what="The account" height={300} />
      {account && permissions && (
        <Stack gap="lg">
          {permissions.limitation !== null && (
            <Text size="sm" role="note" data-testid="limitation">
              {permissions.limitation}
            </Text>
          )}
          <Section title="Account">
            <Facts account={account} />
          </Section>
          {permissions.edit && (
            <Section title="Name and address">
              <UserForm key={account.updated_at} account={account} />
            </Section>
          )}
          <Section title="Access">
            <UserAccess account={account} permissions={permissions} />
          </Section>
          {permissions.edit && permissions.certificate && (
            <Section title="Client certificate">
              <UserCertificate account={account} />
            </Section>
          )}
          <Section title="Sessions">
            <UserSessions account={account} mayEnd={permissions.edit || permissions.self} />
          </Section>
        </Stack>
      )}
    </Pane>
  );
}

function dateOrNever(at: string | null): string {
  return at === null ? 'never' : moment(at);
}

function Facts({ account }: { account: Account }) {
  return (
    <dl className="ot-facts">
      <dt>E-mail address</dt>
      <dd>{account.email}</dd>
      <dt>Role</dt>
      <dd>{roleNames[account.role]}</dd>
      <dt>Signs in through</dt>
      <dd>
        {originNames[account.auth_type]}
        {account.ldap_uid !== null && `, as ${account.ldap_uid}`}
        {account.oidc_subject !== null && `, subject ${account.oidc_subject}`}
        {account.pki_subject_dn !== null && `, ${account.pki_subject_dn}`}
      </dd>
      <dt>Groups</dt>
      <dd>
        {account.groups.length === 0 ? (
          'none'
        ) : (
          <Group gap="xs">
            {account.groups.map((group) => (
              <Link key={group.uuid} to="/groups/$uuid" params={{ uuid: group.uuid }} className="ot-link">
                {group.name}
              </Link>
            ))}
          </Group>
        )}
      </dd>
      <dt>Tasks</dt>
      <dd>
        <Link to="/admin/queues" search={{ owner: account.uuid }} hash="tasks" className="ot-link">
          View tasks
        </Link>
      </dd>
      <dt>Created</dt>
      <dd>{dateOrNever(account.created_at)}</dd>
      <dt>Last sign-in</dt>
      <dd>{dateOrNever(account.last_login_at)}</dd>
      {account.auth_type === 'local' && (
        <>
          <dt>Password changed</dt>
          <dd>
            {dateOrNever(account.password_changed_at)}
            {account.must_change_password && ', must be changed at the next sign-in'}
          </dd>
        </>
      )}
      {account.locked_until !== null && (
        <>
          <dt>Locked until</dt>
          <dd>{moment(account.locked_until)}</dd>
        </>
      )}
      {account.account_expires_at !== null && (
        <>
          <dt>Expires</dt>
          <dd>{moment(account.account_expires_at)}</dd>
        </>
      )}
    </dl>
  );
}
