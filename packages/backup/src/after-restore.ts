import type { Client } from 'pg';
import { readColumns } from '@overtone/database/content';
import {
  keyedHashes,
  parseKeyRing,
  unsealHashKey,
  type HashKey,
  type KeyRing,
  type SealedHashKey,
} from '@overtone/service-kit/sealing';
import { findAdministrators, limitAccounts, makeAdministrator } from './account-rights.ts';
import { withClient } from './client.ts';
import { BackupError } from './errors.ts';
import { limitGroups, listEndedRights } from './group-rights.ts';
import { copyPresent, type HasColumns, type Present } from './present.ts';
import { limitSignInSettings } from './sign-in-settings.ts';

/** What a restored database must not give back. */
export type Withdrawn = {
  sessions: number;
  /**
   * Whether rights were limited to those of the present database. `no_present`: there is none; `other_installation`: it
   * holds none of the accounts of the backup. Only sessions ended then.
   */
  comparison: 'compared' | 'no_present' | 'other_installation';
  /** Whether the backup has accounts; one from before the first administrator has none. */
  hasAccounts: boolean;
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
  /** Memberships, shares and group mappings that were removed or limited since, and are kept as in the backup. */
  keptRights: readonly string[];
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
  /**
   * Keeps memberships, shares and group mappings that were removed or limited since the backup; called with their list
   * before anything is put into use. Without it they are removed or limited. @throws to end the restore.
   */
  readonly confirmKeptRights?: ((rights: readonly string[]) => Promise<void>) | undefined;
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
    await endPublicLinks(client);
    // First, so that no report names an erased person.
    const { erasedAgain, unknownErasures } = await eraseAgain(client, options.encryptionKey);
    const limited = await limitToPresent(client, present, options.confirmKeptRights);
    if (options.administrator !== undefined) await makeAdministrator(client, options.administrator);
    await restartBin(client);
    await removeRunsInProgress(client);
    await endInvitations(client);
    await recordRestore(client, options, limited.keptRights.length);
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

/** A recording that left the bin after the backup must not be deleted permanently now. */
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
  collection: 'user_id',
  open_upload: 'user_id',
  watch_source: 'owner_id',
  watch_decision: 'owner_id',
  watch_import: 'owner_id',
  run: 'owner_id',
  index_state: 'owner_id',
  saved_search: 'user_id',
  vocabulary_term: 'user_id',
  export_template: 'user_id',
  directory_decision: 'user_id',
  suggestion_extraction: 'owner_id',
  auto_label_preference: 'user_id',
  label_run: 'user_id',
} as const;

/**
 * Opens the erasures of the ledger whose persons the backup holds for another round. Until identity has carried it out,
 * after the start, the account is disabled and nothing is shared with it.
 */
async function eraseAgain(
  client: Client,
  encryptionKey: string,
): Promise<{ erasedAgain: number; unknownErasures: number }> {
  // Orders that were on their way are sent again, because the broker has lost its messages.
  await client.query(`update erasure set sent_at = 'epoch' where status <> 'done'`);
  const columns = await readColumns(client);
  const { rows: ledger } = await client.query<{ uuid: string; subject_hash: string; key_id: string }>(
    `select uuid, subject_hash, key_id from erasure where status = 'done'`,
  );
  if (ledger.length === 0) return { erasedAgain: 0, unknownErasures: 0 };
  const ring = parseKeyRing(encryptionKey);
  // A backup of an older version has no such table.
  const earlier = columns.has('erasure_key') ? await readLedgerKeys(client, ring) : [];
  const erased = new Map(ledger.map(({ uuid, subject_hash }) => [subject_hash, uuid]));
  const queries = Object.entries(ownerColumns)
    .filter(([table, column]) => columns.get(table)?.includes(column))
    .map(([table, column]) => `select ${column}::text as id from public.${client.escapeIdentifier(table)}`);
  const { rows: owners } = await client.query<{ id: string }>(queries.join(' union '));
  let erasedAgain = 0;
  for (const { id } of owners) {
    const uuid = keyedHashes(ring, 'erasure subject', id, earlier)
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
  const keys = new Set([...ring.map(({ id }) => id), ...earlier.map(({ keyId }) => keyId)]);
  const unknownErasures = ledger.filter(({ key_id }) => !keys.has(key_id)).length;
  return { erasedAgain, unknownErasures };
}

/** The hash keys of entries from before the key in use, as far as it opens them. */
async function readLedgerKeys(client: Client, ring: KeyRing): Promise<HashKey[]> {
  const { rows } = await client.query<SealedHashKey>(
    'select key_id as "keyId", purpose, sealed_by as "sealedBy", text from erasure_key',
  );
  return rows.flatMap((row) => unsealHashKey(ring, row) ?? []);
}

async function endSessions(client: Client): Promise<number> {
  const { rowCount } = await client.query('update refresh_token set revoked_at = now() where revoked_at is null');
  return rowCount ?? 0;
}

/** A link that was used or withdrawn since the backup must not work again; administrators create new ones. */
async function endInvitations(client: Client): Promise<void> {
  // A backup of an older version has no invitations yet.
  if ((await readColumns(client)).has('user_invitation')) await client.query('delete from user_invitation');
}

/** Links may have been revoked since the backup, or all of them switched off: none of them opens a recording again. */
async function endPublicLinks(client: Client): Promise<void> {
  // A backup of an older version has no links yet.
  if ((await readColumns(client)).has('public_link'))
    await client.query('update public_link set revoked_at = now() where revoked_at is null');
}

/** A dump contains the run that made it as running. Its process, and that of every other such run, has ended. */
async function removeRunsInProgress(client: Client): Promise<void> {
  const columns = await readColumns(client);
  for (const table of ['backup_run', 'mirror_run'])
    // A backup of an older version has no runs yet.
    if (columns.has(table)) await client.query(`delete from ${table} where status in ('queued', 'running')`);
}

type Limited = Omit<
  Withdrawn,
  'sessions' | 'administrators' | 'unreadable' | 'auditRecords' | 'erasures' | 'erasedAgain' | 'unknownErasures'
>;

async function limitToPresent(
  client: Client,
  { columns }: Present,
  confirmKeptRights: AfterRestoreOptions['confirmKeptRights'],
): Promise<Limited> {
  const has: HasColumns = (table, ...needs) => needs.every((column) => columns.get(table)?.includes(column));
  const { rowCount: accounts } = await client.query('select 1 from "user" limit 1');
  const hasAccounts = accounts === 1;
  const none = {
    hasAccounts,
    keptRights: [],
    disabled: [],
    demoted: [],
    memberships: 0,
    shares: 0,
    mappings: 0,
    switches: [],
    settings: [],
  };
  if (!has('user', 'uuid', 'email', 'is_active', 'role', 'disabled_by', 'disabled_at'))
    return { ...none, comparison: 'no_present' };
  await client.query('create index on present_user (uuid)');
  // Another instance (a new installation, for example) says nothing about these accounts.
  const { rowCount: shared } = await client.query('select 1 from present_user join "user" using (uuid) limit 1');
  if (!shared && hasAccounts) return { ...none, comparison: 'other_installation' };
  const keptRights = confirmKeptRights === undefined ? [] : await listEndedRights(client, has);
  await confirmKeptRights?.(keptRights);
  return {
    comparison: 'compared',
    hasAccounts,
    keptRights,
    ...(await limitAccounts(client, has)),
    ...(confirmKeptRights === undefined ? await limitGroups(client, has) : { memberships: 0, shares: 0, mappings: 0 }),
    ...(columns.has('auth_config') ? await limitSignInSettings(client) : { switches: [], settings: [] }),
  };
}

async function recordRestore(
  client: Client,
  { backupName, awaitDirectorySync, administrator }: AfterRestoreOptions,
  keptRights: number,
): Promise<void> {
  await client.query(
    `insert into audit_log (event_type, outcome, actor, details)
     values ('system.restore', 'success', 'restore',
       jsonb_strip_nulls(jsonb_build_object('backup', $1::text, 'administrator', $2::text, 'kept_rights', $3::int)))`,
    [backupName, administrator ?? null, keptRights || null],
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
