import type { Client } from 'pg';
import { BackupError } from './errors.ts';
import type { ComparedTable, HasColumns } from './present.ts';

/** A statement that limits the backup's rows, and the columns that both databases must have for it. */
type Rule = { readonly table: ComparedTable; readonly needs: readonly string[]; readonly sql: string };

const identityColumns = [
  'ldap_uid',
  'directory_id',
  'oidc_issuer',
  'oidc_subject',
  'pki_subject_dn',
  'pki_issuer_dn',
  'proxy_user',
];
/** Rules without a result that is reported, in their order. */
const accountRules: readonly Rule[] = [
  {
    table: 'user',
    needs: ['approval_status'],
    sql: `update "user" u set approval_status = p.approval_status from present_user p
          where p.uuid = u.uuid and u.approval_status = 'approved' and p.approval_status <> 'approved'`,
  },
  {
    table: 'user',
    needs: ['account_expires_at'],
    sql: `update "user" u set account_expires_at = p.account_expires_at from present_user p
          where p.uuid = u.uuid and p.account_expires_at < coalesce(u.account_expires_at, 'infinity')`,
  },
  {
    table: 'user',
    needs: ['password_hash', 'password_changed_at', 'auth_type'],
    sql: `update "user" u set password_hash = p.password_hash, password_changed_at = p.password_changed_at
          from present_user p where p.uuid = u.uuid and (p.password_hash is null or p.auth_type <> u.auth_type
            or p.password_changed_at > coalesce(u.password_changed_at, '-infinity'))`,
  },
  {
    table: 'user',
    needs: ['must_change_password'],
    sql: `update "user" u set must_change_password = true from present_user p
          where p.uuid = u.uuid and p.must_change_password and not u.must_change_password`,
  },
  {
    table: 'user',
    needs: ['failed_logins', 'lockouts', 'locked_until'],
    sql: `update "user" u set failed_logins = greatest(u.failed_logins, p.failed_logins),
            lockouts = greatest(u.lockouts, p.lockouts), locked_until = greatest(u.locked_until, p.locked_until)
          from present_user p where p.uuid = u.uuid and (p.failed_logins > 0 or p.lockouts > 0 or p.locked_until is not null)`,
  },
  {
    table: 'password_history',
    needs: ['uuid', 'user_id', 'password_hash', 'created_at'],
    sql: `insert into password_history (uuid, user_id, password_hash, created_at)
          select p.uuid, p.user_id, p.password_hash, p.created_at
          from present_password_history p join "user" u on u.uuid = p.user_id on conflict do nothing`,
  },
  {
    table: 'login_lockout',
    needs: ['login_key', 'failed_logins', 'lockouts', 'locked_until', 'updated_at'],
    sql: `insert into login_lockout as l (login_key, failed_logins, lockouts, locked_until, updated_at)
          select login_key, failed_logins, lockouts, locked_until, updated_at from present_login_lockout
          on conflict (login_key) do update set failed_logins = greatest(l.failed_logins, excluded.failed_logins),
            lockouts = greatest(l.lockouts, excluded.lockouts),
            locked_until = greatest(l.locked_until, excluded.locked_until), updated_at = excluded.updated_at`,
  },
];

/**
 * No account of the backup has more rights, or another way to sign in, than in the present database.
 * @returns the addresses of accounts that stay disabled, and of those that lose a role.
 */
export async function limitAccounts(
  client: Client,
  has: HasColumns,
): Promise<{ disabled: string[]; demoted: string[] }> {
  const { rows: disabled } = await client.query<{ email: string }>(
    `update "user" u set is_active = false, disabled_at = coalesce(u.disabled_at, now()),
       disabled_by = coalesce((select disabled_by from present_user p where p.uuid = u.uuid), 'administrator')
     where u.is_active and not exists (select 1 from present_user p where p.uuid = u.uuid and p.is_active)
     returning email`,
  );
  const { rows: demoted } = await client.query<{ email: string }>(
    `update "user" u set role = p.role from present_user p
     where p.uuid = u.uuid and array_position(array['user', 'admin', 'super_admin'], p.role)
       < array_position(array['user', 'admin', 'super_admin'], u.role)
     returning u.email`,
  );
  for (const { table, needs, sql } of accountRules) if (has(table, ...needs)) await client.query(sql);
  if (has('user', 'auth_type', 'allow_local_fallback'))
    await keepIdentities(
      client,
      identityColumns.filter((column) => has('user', column)),
    );
  return { disabled: disabled.map(({ email }) => email), demoted: demoted.map(({ email }) => email) };
}

/** How an account signs in is as in the present database: a link that was removed or replaced since must not open the account. */
async function keepIdentities(client: Client, ids: readonly string[]): Promise<void> {
  const of = (alias: string): string => `row(${ids.map((id) => `${alias}.${id}`).join(', ')})`;
  // Removed first, because two accounts may have exchanged a unique value.
  if (ids.length > 0)
    await client.query(
      `update "user" u set ${ids.map((id) => `${id} = null`).join(', ')} where not exists (
         select 1 from present_user p where p.uuid = u.uuid and ${of('p')} is not distinct from ${of('u')})`,
    );
  const assignments = ['auth_type', ...ids].map((id) => `${id} = p.${id}`).join(', ');
  await client.query(
    `update "user" u set ${assignments}, allow_local_fallback = u.allow_local_fallback and p.allow_local_fallback
     from present_user p where p.uuid = u.uuid`,
  );
}

/** Makes an account an active super_admin, whatever happened to it since. @throws BackupError no_administrator. */
export async function makeAdministrator(client: Client, email: string): Promise<void> {
  const { rowCount } = await client.query(
    `update "user" set role = 'super_admin', is_active = true, disabled_by = null, disabled_at = null,
       approval_status = 'approved', account_expires_at = null where lower(email) = lower($1)`,
    [email],
  );
  if (!rowCount)
    throw new BackupError('no_administrator', `The backup has no account ${email} that could become a super_admin.`);
}

/** The addresses of the active super_admins. */
export async function findAdministrators(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ email: string }>(
    `select email from "user" where role = 'super_admin' and is_active order by 1`,
  );
  return rows.map(({ email }) => email);
}
