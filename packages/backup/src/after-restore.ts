import type { Client } from 'pg';
import { readColumns } from '@overtone/database/content';
import { keyedHashes, parseKeyRing } from '@overtone/service-kit/sealing';
import { withClient } from './client.ts';
import { BackupError } from './errors.ts';
import { copyPresent, type ComparedTable, type Present } from './present.ts';

/** What a restored database must not give back. */
export type Withdrawn = {
  sessions: number;
  /** Whether the present database holds accounts of the backup; otherwise only sessions ended. */
  compared: boolean;
  /** Tables of the present database that could not be read, and with which nothing was compared. */
  unreadable: string[];
  /** Audit records that were added since the backup, and are kept. */
  auditRecords: number;
  /** Erasures of persons in the ledger, and those of them whose persons the backup holds: they are erased again. */
  erasures: number;
  erasedAgain: number;
  /** Erasures whose key is not in ENCRYPTION_KEY: whether the backup holds their persons is unknown. */
  unknownErasures: number;
  /** Active super_admins that are left. */
  administrators: number;
  /** Addresses of accounts that stay disabled, or lose a role, because they had done so since the backup. */
  disabled: string[];
  demoted: string[];
  /** Memberships, shares and group mappings of the backup that were removed or limited since. */
  memberships: number;
  shares: number;
  mappings: number;
  /** Switches of sign-in methods that stay as they are in the present database. */
  switches: string[];
  /** Other sign-in settings that differ from the present ones. */
  settings: string[];
};

export type AfterRestoreOptions = {
  /** The replayed database, not yet in use. */
  readonly scratchUrl: string;
  /** The database in use until now; undefined when there is none. */
  readonly presentUrl: string | undefined;
  readonly backupName: string;
  readonly backupCreatedAt: Date;
  /** Directory accounts may sign in only after the next directory sync run. */
  readonly awaitDirectorySync: boolean;
  /** ENCRYPTION_KEY after the restore: without it the ledger does not tell who was erased. */
  readonly encryptionKey: string;
  /** The address of an account that becomes an active super_admin, whatever happened to it since. */
  readonly administrator?: string | undefined;
};

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
/** They let people in, so they are never switched on by a restore. */
const signInSwitches = [
  'local_enabled',
  'ldap_enabled',
  'oidc_enabled',
  'pki_enabled',
  'proxy_enabled',
  'allow_registration',
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
 * A database of yesterday must not give yesterday's rights back: every session ends, and no account has more rights than in
 * the present database. The audit records since the backup are kept. Applied before the replayed database is put into use.
 * @throws BackupError no_administrator.
 */
export async function withdrawRights(options: AfterRestoreOptions): Promise<Withdrawn> {
  return await withClient(options.scratchUrl, async (client) => {
    await client.query('begin');
    const before = await findAdministrators(client);
    const present = await copyPresent(client, options.presentUrl, options.backupCreatedAt);
    const sessions = await endSessions(client);
    // First, so that no report names an erased person.
    const { erasedAgain, unknownErasures } = await eraseAgain(client, options.encryptionKey);
    const limited = await limitToPresent(client, present);
    if (options.administrator !== undefined) await makeAdministrator(client, options.administrator);
    await restartBin(client);
    await recordRestore(client, options);
    const { length: administrators } = await findAdministrators(client);
    if (administrators === 0 && before.length > 0) throw noAdministrator(before);
    await client.query('commit');
    // The planner knows nothing about replayed tables.
    await client.query('analyze');
    const { unreadable, auditRecords, erasures } = present;
    return {
      ...limited,
      sessions,
      administrators,
      unreadable: [...unreadable],
      auditRecords,
      erasures,
      erasedAgain,
      unknownErasures,
    };
  });
}

function noAdministrator(addresses: readonly string[]): BackupError {
  return new BackupError(
    'no_administrator',
    `No active super_admin would be left: those of the backup (${addresses.slice(0, 5).join(', ')}) were disabled, deleted ` +
      'or demoted after it. Name one account of the backup that becomes an active super_admin with --administrator EMAIL.',
  );
}

/** A recording that left the bin after the backup must not be deleted for good now. */
async function restartBin(client: Client): Promise<void> {
  // A backup of an older version has no bin yet.
  if ((await readColumns(client)).get('media_file')?.includes('deleted_at'))
    await client.query('update media_file set deleted_at = now() where deleted_at is not null');
}

/** Tables that may hold data of an account, and the column with its id. */
const ownerColumns = {
  user: 'uuid',
  media_file: 'user_id',
  tag: 'user_id',
  open_upload: 'user_id',
  run: 'owner_id',
  index_state: 'owner_id',
  directory_decision: 'user_id',
} as const;

/**
 * Opens the erasures of the ledger whose persons the backup holds for another round. Until identity has carried it out,
 * after the start, the account is disabled and shared with nobody.
 */
async function eraseAgain(
  client: Client,
  encryptionKey: string,
): Promise<{ erasedAgain: number; unknownErasures: number }> {
  // Orders that were on their way are sent again, because the messages of the broker are gone.
  await client.query(`update erasure set sent_at = 'epoch' where status <> 'done'`);
  const columns = await readColumns(client);
  const { rows: ledger } = await client.query<{ uuid: string; subject_hash: string; key_id: string }>(
    `select uuid, subject_hash, key_id from erasure where status = 'done'`,
  );
  if (ledger.length === 0) return { erasedAgain: 0, unknownErasures: 0 };
  const ring = parseKeyRing(encryptionKey);
  const erased = new Map(ledger.map(({ uuid, subject_hash }) => [subject_hash, uuid]));
  const queries = Object.entries(ownerColumns)
    .filter(([table, column]) => columns.get(table)?.includes(column))
    .map(([table, column]) => `select ${column}::text as id from public.${client.escapeIdentifier(table)}`);
  const { rows: owners } = await client.query<{ id: string }>(queries.join(' union '));
  let erasedAgain = 0;
  for (const { id } of owners) {
    const uuid = keyedHashes(ring, 'erasure subject', id)
      .map(({ hash }) => erased.get(hash))
      .find((found) => found !== undefined);
    if (uuid === undefined) continue;
    erasedAgain += 1;
    await client.query(
      `update erasure set status = 'running', round = round + 1, user_id = $2, finished_at = null, sent_at = 'epoch'
       where uuid = $1`,
      [uuid, id],
    );
    if (columns.get('user')?.includes('is_active'))
      await client.query('update "user" set is_active = false where uuid = $1', [id]);
  }
  const keys = new Set(ring.map(({ id }) => id));
  const unknownErasures = ledger.filter(({ key_id }) => !keys.has(key_id)).length;
  return { erasedAgain, unknownErasures };
}

async function endSessions(client: Client): Promise<number> {
  const { rowCount } = await client.query('update refresh_token set revoked_at = now() where revoked_at is null');
  return rowCount ?? 0;
}

type Limited = Omit<
  Withdrawn,
  'sessions' | 'administrators' | 'unreadable' | 'auditRecords' | 'erasures' | 'erasedAgain' | 'unknownErasures'
>;

async function limitToPresent(client: Client, { columns }: Present): Promise<Limited> {
  const has = (table: ComparedTable, ...needs: string[]): boolean =>
    needs.every((column) => columns.get(table)?.includes(column));
  const none = {
    compared: false,
    disabled: [],
    demoted: [],
    memberships: 0,
    shares: 0,
    mappings: 0,
    switches: [],
    settings: [],
  };
  if (!has('user', 'uuid', 'email', 'is_active', 'role', 'disabled_by', 'disabled_at')) return none;
  await client.query('create index on present_user (uuid)');
  // Another instance (a new installation, for example) says nothing about these accounts.
  const { rowCount: shared } = await client.query('select 1 from present_user join "user" using (uuid) limit 1');
  if (!shared) return none;
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
  return {
    compared: true,
    disabled: disabled.map(({ email }) => email),
    demoted: demoted.map(({ email }) => email),
    memberships: has('user_group_member', 'group_id', 'user_id', 'role') ? await limitMemberships(client) : 0,
    shares: has('file_share', 'media_file_id', 'group_id', 'user_id', 'permission') ? await limitShares(client) : 0,
    mappings: has('group_mapping', 'source', 'claim_value', 'group_id', 'grants_role')
      ? await limitMappings(client)
      : 0,
    switches: columns.has('auth_config') ? await keepSwitches(client) : [],
    settings: columns.has('auth_config') ? await differentSettings(client) : [],
  };
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

async function limitMemberships(client: Client): Promise<number> {
  const same = 'p.group_id = m.group_id and p.user_id = m.user_id';
  const { rows: removed } = await client.query<{ user_id: string }>(
    `delete from user_group_member m where not exists (select 1 from present_user_group_member p where ${same})
     returning user_id`,
  );
  const { rowCount: lowered } = await client.query(
    `update user_group_member m set role = 'member' from present_user_group_member p
     where ${same} and p.role = 'member' and m.role <> 'member'`,
  );
  const users = [...new Set(removed.map(({ user_id }) => user_id))];
  await client.query('update "user" set membership_version = membership_version + 1 where uuid = any($1)', [users]);
  // The copies of other services follow here: an event of the backup may be published before they hear of this change.
  for (const copy of ['media_membership', 'search_membership'])
    if (await exists(client, copy))
      await client.query(
        `insert into ${copy} as c (user_id, group_ids, version)
         select uuid, array(select group_id from user_group_member m where m.user_id = u.uuid order by 1), membership_version
         from "user" u where uuid = any($1)
         on conflict (user_id) do update
           set group_ids = excluded.group_ids, version = greatest(c.version + 1, excluded.version)`,
        [users],
      );
  return removed.length + (lowered ?? 0);
}

async function limitShares(client: Client): Promise<number> {
  const same = `p.media_file_id = s.media_file_id and p.group_id is not distinct from s.group_id
    and p.user_id is not distinct from s.user_id`;
  const { rows: removed } = await client.query<{ media_file_id: string }>(
    `delete from file_share s where not exists (select 1 from present_file_share p where ${same})
     returning media_file_id`,
  );
  const { rowCount: lowered } = await client.query(
    `update file_share s set permission = 'viewer' from present_file_share p
     where ${same} and p.permission = 'viewer' and s.permission <> 'viewer'`,
  );
  const files = [...new Set(removed.map(({ media_file_id }) => media_file_id))];
  await client.query('update media_file set access_version = access_version + 1 where uuid = any($1)', [files]);
  if (await exists(client, 'search_file_access'))
    await client.query(
      `insert into search_file_access as c (file_id, group_ids, user_ids, version)
       select uuid,
         array(select s.group_id from file_share s where s.media_file_id = f.uuid and s.group_id is not null order by 1),
         array(select s.user_id from file_share s where s.media_file_id = f.uuid and s.user_id is not null order by 1),
         access_version
       from media_file f where uuid = any($1)
       on conflict (file_id) do update set group_ids = excluded.group_ids, user_ids = excluded.user_ids,
         version = greatest(c.version + 1, excluded.version)`,
      [files],
    );
  return removed.length + (lowered ?? 0);
}

/** A mapping that was removed since would give its group or role at the next sign-in. */
async function limitMappings(client: Client): Promise<number> {
  const { rowCount } = await client.query(
    `delete from group_mapping m where not exists (
       select 1 from present_group_mapping p where p.source = m.source and p.claim_value = m.claim_value
         and p.group_id is not distinct from m.group_id and p.grants_role is not distinct from m.grants_role)`,
  );
  return rowCount ?? 0;
}

/** @returns the switches that differ from the backup. */
async function keepSwitches(client: Client): Promise<string[]> {
  const { rows: off } = await client.query<{ config_key: string }>(
    `insert into auth_config as c (config_key, category, config_value)
     select config_key, category, config_value from present_auth_config
     where config_key = any($1) and config_value = 'false'
     on conflict (config_key) do update set config_value = excluded.config_value, updated_at = now()
       where c.config_value <> excluded.config_value
     returning config_key`,
    [signInSwitches],
  );
  // Without a row the environment decides, now as before.
  const { rows: unset } = await client.query<{ config_key: string }>(
    `delete from auth_config c where config_key = any($1) and config_value = 'true'
       and not exists (select 1 from present_auth_config p where p.config_key = c.config_key)
     returning config_key`,
    [signInSwitches],
  );
  return [...off, ...unset].map(({ config_key }) => config_key).sort();
}

async function differentSettings(client: Client): Promise<string[]> {
  // The same secret is encrypted differently each time; its time of change is kept then.
  const { rows } = await client.query<{ config_key: string }>(
    `select coalesce(c.config_key, p.config_key) as config_key
     from auth_config c full join present_auth_config p on p.config_key = c.config_key
     where coalesce(c.config_key, p.config_key) <> all($1)
       and case when c.is_sensitive and p.is_sensitive then c.updated_at <> p.updated_at
                else c.config_value is distinct from p.config_value end
     order by 1`,
    [signInSwitches],
  );
  return rows.map(({ config_key }) => config_key);
}

async function makeAdministrator(client: Client, email: string): Promise<void> {
  const { rowCount } = await client.query(
    `update "user" set role = 'super_admin', is_active = true, disabled_by = null, disabled_at = null,
       approval_status = 'approved', account_expires_at = null where lower(email) = lower($1)`,
    [email],
  );
  if (!rowCount)
    throw new BackupError('no_administrator', `The backup has no account ${email} that could become a super_admin.`);
}

/** The addresses of the active super_admins. */
async function findAdministrators(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ email: string }>(
    `select email from "user" where role = 'super_admin' and is_active order by 1`,
  );
  return rows.map(({ email }) => email);
}

async function exists(client: Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    `public.${table}`,
  ]);
  return rows[0]!.found;
}

async function recordRestore(
  client: Client,
  { backupName, awaitDirectorySync, administrator }: AfterRestoreOptions,
): Promise<void> {
  await client.query(
    `insert into audit_log (event_type, outcome, actor, details)
     values ('system.restore', 'success', 'restore',
       jsonb_strip_nulls(jsonb_build_object('backup', $1::text, 'administrator', $2::text)))`,
    [backupName, administrator ?? null],
  );
  // A backup of an older version does not have the table yet; its migration finds it then.
  await client.query(
    `create table if not exists restore_record (uuid uuid primary key default gen_random_uuid(),
       restored_at timestamptz not null default now(), backup_name text not null, directory_checked_at timestamptz)`,
  );
  await client.query(
    'insert into restore_record (backup_name, directory_checked_at) values ($1, case when $2 then null else now() end)',
    [backupName, awaitDirectorySync],
  );
}
