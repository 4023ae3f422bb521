import { t } from '@lingui/core/macro';
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
import { ErasePerson } from '../erasures/erase-person.tsx';
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
      title={account ? nameOf(account) : t`User`}
      actions={account && <AccountStatusBadge account={account} />}
      back={{ to: '/admin/users', label: t`All users` }}
    >
      <QueryStatus of={user} failure={t`The account couldn’t be loaded`} height={300} />
      {account && permissions && (
        <Stack gap="lg">
          {permissions.limitation !== null && (
            <Text size="sm" role="note" data-testid="limitation">
              {permissions.limitation}
            </Text>
          )}
          <Section title={t`Account`}>
            <Facts account={account} />
          </Section>
          {permissions.edit && (
            <Section title={t`Name and address`}>
              <UserForm key={account.updated_at} account={account} />
            </Section>
          )}
          <Section title={t`Access`}>
            <UserAccess account={account} permissions={permissions} />
          </Section>
          {permissions.edit && permissions.certificate && (
            <Section title={t`Client certificate`}>
              <UserCertificate account={account} />
            </Section>
          )}
          {me?.role === 'super_admin' && !permissions.self && (
            <Section title={t`Erase`}>
              <ErasePerson account={account} />
            </Section>
          )}
          <Section title={t`Sessions`}>
            <UserSessions account={account} mayEnd={permissions.edit || permissions.self} />
          </Section>
        </Stack>
      )}
    </Pane>
  );
}

function dateOrNever(at: string | null): string {
  return at === null ? t`never` : moment(at);
}

function Facts({ account }: { account: Account }) {
  return (
    <dl className="ot-facts">
      <dt>{t`E-mail address`}</dt>
      <dd>{account.email}</dd>
      <dt>{t`Role`}</dt>
      <dd>{roleNames[account.role]}</dd>
      <dt>{t`Signs in through`}</dt>
      <dd>
        {[
          originNames[account.auth_type],
          account.ldap_uid !== null && t`as ${account.ldap_uid}`,
          account.oidc_subject !== null && t`subject ${account.oidc_subject}`,
          account.pki_subject_dn,
        ]
          .filter((fact) => typeof fact === 'string')
          .join(', ')}
      </dd>
      <dt>{t`Groups`}</dt>
      <dd>
        {account.groups.length === 0 ? (
          t`none`
        ) : (
          <Group gap="xs">
            {account.groups.map((group) => (
              <Link key={group.uuid} to="/groups/$uuid" params={{ uuid: group.uuid }} className="ot-link" dir="auto">
                {group.name}
              </Link>
            ))}
          </Group>
        )}
      </dd>
      <dt>{t`Tasks`}</dt>
      <dd>
        <Link to="/admin/queues" search={{ owner: account.uuid }} hash="tasks" className="ot-link" dir="auto">
          {t`View tasks`}
        </Link>
      </dd>
      <dt>{t`Created`}</dt>
      <dd>{dateOrNever(account.created_at)}</dd>
      <dt>{t`Last sign-in`}</dt>
      <dd>{dateOrNever(account.last_login_at)}</dd>
      {account.auth_type === 'local' && (
        <>
          <dt>{t`Password changed`}</dt>
          <dd>
            {account.must_change_password
              ? t`${dateOrNever(account.password_changed_at)}, must be changed at the next sign-in`
              : dateOrNever(account.password_changed_at)}
          </dd>
        </>
      )}
      {account.invited_until !== null && (
        <>
          <dt>{t`Invitation link`}</dt>
          <dd>{t`valid until ${moment(account.invited_until)}`}</dd>
        </>
      )}
      {account.locked_until !== null && (
        <>
          <dt>{t`Locked until`}</dt>
          <dd>{moment(account.locked_until)}</dd>
        </>
      )}
      {account.account_expires_at !== null && (
        <>
          <dt>{t`Expires`}</dt>
          <dd>{moment(account.account_expires_at)}</dd>
        </>
      )}
    </dl>
  );
}
