import type { Client } from 'pg';
import { readColumns } from '@overtone/database/content';
import { findAdministrators, limitAccounts, makeAdministrator } from './account-rights.ts';
import { withClient } from './client.ts';
import { BackupError } from './errors.ts';
import { limitGroups } from './group-rights.ts';
import { copyPresent, type HasColumns, type Present } from './present.ts';
import { limitSignInSettings } from './sign-in-settings.ts';

/** What a restored database must not give back. */
export type Withdrawn = {
  sessions: number;
  /** Whether the present database holds accounts of the backup; otherwise only sessions ended. */
  compared: boolean;
  /** Tables of the present database that could not be read, and with which nothing was compared. */
  unreadable: string[];
  /** Audit records that were added since the backup, and are kept. */
  auditRecords: number;
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
  /** The address of an account that becomes an active super_admin, whatever happened to it since. */
  readonly administrator?: string | undefined;
};

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
    const limited = await limitToPresent(client, present);
    if (options.administrator !== undefined) await makeAdministrator(client, options.administrator);
    await restartBin(client);
    await removeRunsInProgress(client);
    await recordRestore(client, options);
    const { length: administrators } = await findAdministrators(client);
    if (administrators === 0 && before.length > 0) throw noAdministrator(before);
    await client.query('commit');
    // The planner knows nothing about replayed tables.
    await client.query('analyze');
    const { unreadable, auditRecords } = present;
    return { ...limited, sessions, administrators, unreadable: [...unreadable], auditRecords };
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

async function endSessions(client: Client): Promise<number> {
  const { rowCount } = await client.query('update refresh_token set revoked_at = now() where revoked_at is null');
  return rowCount ?? 0;
}

/** A dump contains the run that made it as running. Its process, and that of every other such run, has ended. */
async function removeRunsInProgress(client: Client): Promise<void> {
  const columns = await readColumns(client);
  for (const table of ['backup_run', 'mirror_run'])
    // A backup of an older version has no runs yet.
    if (columns.has(table)) await client.query(`delete from ${table} where status in ('queued', 'running')`);
}

type Limited = Omit<Withdrawn, 'sessions' | 'administrators' | 'unreadable' | 'auditRecords'>;

async function limitToPresent(client: Client, { columns }: Present): Promise<Limited> {
  const has: HasColumns = (table, ...needs) => needs.every((column) => columns.get(table)?.includes(column));
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
  return {
    compared: true,
    ...(await limitAccounts(client, has)),
    ...(await limitGroups(client, has)),
    ...(columns.has('auth_config') ? await limitSignInSettings(client) : { switches: [], settings: [] }),
  };
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
