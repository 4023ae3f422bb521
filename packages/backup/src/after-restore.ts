import type { Client } from 'pg';
import { withClient } from './client.ts';

/** What a restored database must not give back. */
export type Withdrawn = {
  sessions: number;
  /** Whether the present database holds accounts of the backup; otherwise only sessions ended. */
  compared: boolean;
  /** Active super_admins that are left. */
  administrators: number;
  /** Addresses of accounts that stay disabled, or lose a role, because they had done so since the backup. */
  disabled: string[];
  demoted: string[];
};

export type AfterRestoreOptions = {
  /** The replayed database, not yet in use. */
  readonly scratchUrl: string;
  /** The database in use until now; undefined when there is none. */
  readonly presentUrl: string | undefined;
  readonly backupName: string;
  /** Directory accounts may sign in only after the next directory sync run. */
  readonly awaitDirectorySync: boolean;
};

type PresentAccount = {
  uuid: string;
  is_active: boolean;
  disabled_by: string | null;
  role: string;
  approval_status: string;
  account_expires_at: Date | null;
  password_hash: string | null;
  password_changed_at: Date | null;
};

/**
 * A database of yesterday must not give yesterday's rights back: every session ends, and an account has at most the
 * rights it has in the present database. Applied before the replayed database is put into use.
 */
export async function withdrawRights(options: AfterRestoreOptions): Promise<Withdrawn> {
  // An unreadable present database is the reason for many a restore.
  const present = options.presentUrl === undefined ? [] : await readAccounts(options.presentUrl).catch(() => []);
  return await withClient(options.scratchUrl, async (client) => {
    await client.query('begin');
    const sessions = await endSessions(client);
    const { compared, disabled, demoted } = await withdrawFrom(client, present);
    await restartBin(client);
    await recordRestore(client, options);
    const administrators = await countAdministrators(client);
    await client.query('commit');
    // The planner knows nothing about replayed tables.
    await client.query('analyze');
    return { sessions, compared, administrators, disabled, demoted };
  });
}

/** An empty list when the database holds no accounts that this version can read. */
async function readAccounts(url: string): Promise<PresentAccount[]> {
  return await withClient(url, async (client) => {
    const { rows } = await client.query<{ readable: boolean }>(
      `select count(*) = 8 as readable from information_schema.columns
       where table_schema = 'public' and table_name = 'user' and column_name in ('uuid', 'is_active', 'disabled_by',
         'role', 'approval_status', 'account_expires_at', 'password_hash', 'password_changed_at')`,
    );
    if (rows[0]?.readable !== true) return [];
    const accounts = await client.query<PresentAccount>(
      `select uuid, is_active, disabled_by, role, approval_status, account_expires_at, password_hash, password_changed_at
       from "user"`,
    );
    return accounts.rows;
  });
}

/** A recording that left the bin after the backup must not be deleted for good now. */
async function restartBin(client: Client): Promise<void> {
  await client.query('update media_file set deleted_at = now() where deleted_at is not null');
}

async function endSessions(client: Client): Promise<number> {
  const { rowCount } = await client.query('update refresh_token set revoked_at = now() where revoked_at is null');
  return rowCount ?? 0;
}

async function withdrawFrom(
  client: Client,
  present: readonly PresentAccount[],
): Promise<Pick<Withdrawn, 'compared' | 'disabled' | 'demoted'>> {
  await client.query(
    `create temporary table present_account (uuid uuid primary key, is_active boolean, disabled_by text, role text,
       approval_status text, account_expires_at timestamptz, password_hash text, password_changed_at timestamptz)
     on commit drop`,
  );
  await client.query(
    'insert into present_account select * from jsonb_populate_recordset(null::present_account, $1::jsonb)',
    [JSON.stringify(present)],
  );
  // Of another instance (a new installation, for example) nothing is learnt about these accounts.
  const { rowCount: shared } = await client.query('select 1 from present_account join "user" using (uuid) limit 1');
  if (!shared) return { compared: false, disabled: [], demoted: [] };
  const { rows: disabled } = await client.query<{ email: string }>(
    `update "user" u set is_active = false, disabled_at = coalesce(u.disabled_at, now()),
       disabled_by = coalesce((select disabled_by from present_account p where p.uuid = u.uuid), 'administrator')
     where u.is_active and not exists (select 1 from present_account p where p.uuid = u.uuid and p.is_active)
     returning email`,
  );
  const { rows: demoted } = await client.query<{ email: string }>(
    `update "user" u set role = p.role from present_account p
     where p.uuid = u.uuid and array_position(array['user', 'admin', 'super_admin'], p.role)
       < array_position(array['user', 'admin', 'super_admin'], u.role)
     returning email`,
  );
  await client.query(
    `update "user" u set approval_status = p.approval_status from present_account p
     where p.uuid = u.uuid and u.approval_status = 'approved' and p.approval_status <> 'approved'`,
  );
  await client.query(
    `update "user" u set account_expires_at = p.account_expires_at from present_account p
     where p.uuid = u.uuid and p.account_expires_at < coalesce(u.account_expires_at, 'infinity')`,
  );
  await client.query(
    `update "user" u set password_hash = p.password_hash, password_changed_at = p.password_changed_at
     from present_account p
     where p.uuid = u.uuid
       and (p.password_hash is null or p.password_changed_at > coalesce(u.password_changed_at, '-infinity'))`,
  );
  return { compared: true, disabled: disabled.map(({ email }) => email), demoted: demoted.map(({ email }) => email) };
}

async function countAdministrators(client: Client): Promise<number> {
  const { rowCount } = await client.query(`select 1 from "user" where role = 'super_admin' and is_active`);
  return rowCount ?? 0;
}

async function recordRestore(client: Client, { backupName, awaitDirectorySync }: AfterRestoreOptions): Promise<void> {
  await client.query(
    `insert into audit_log (event_type, outcome, actor, details)
     values ('system.restore', 'success', 'restore', jsonb_build_object('backup', $1::text))`,
    [backupName],
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
