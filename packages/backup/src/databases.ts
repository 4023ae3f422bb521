import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { withClient } from './client.ts';
import { BackupError } from './errors.ts';

const objectInUse = '55006';

/** The server and the database that a restore replaces. */
export type RestoreTarget = {
  /** Of the owner, for the database `postgres`. */
  readonly adminUrl: string;
  readonly database: string;
};

/**
 * Puts the replayed database into use in place of the present one, in one transaction: at every moment either the old or
 * the new one is in use. The old one is dropped afterwards.
 * @throws BackupError swap_unknown when the connection was lost and the server does not say which one is in use; after every
 * other error the old one is.
 */
export async function swapDatabases(target: RestoreTarget): Promise<void> {
  const { adminUrl, database } = target;
  const previous = previousOf(database);
  const oid = await withClient(adminUrl, async (client) => {
    await dropDatabase(client, previous);
    return await oidOf(client, scratchOf(database));
  });
  try {
    await withClient(adminUrl, async (client) => await rename(client, database));
  } catch (error) {
    // The reply to the commit may be lost, and not the commit.
    if (oid === undefined || !(await isInUse(target, oid))) throw error;
  }
  // The next start drops it when that fails here.
  await withClient(adminUrl, async (client) => await dropDatabase(client, previous)).catch(() => undefined);
}

async function rename(client: Client, database: string): Promise<void> {
  const [scratch, previous] = [scratchOf(database), previousOf(database)];
  const hasPresent = (await oidOf(client, database)) !== undefined;
  const renameOnce = async (): Promise<void> => {
    await endSessions(client, [database, scratch]);
    await client.query('begin');
    try {
      for (const [from, to] of hasPresent
        ? ([
            [database, previous],
            [scratch, database],
          ] as const)
        : ([[scratch, database]] as const))
        await client.query(`alter database ${client.escapeIdentifier(from)} rename to ${client.escapeIdentifier(to)}`);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  };
  // A client that connects again in between is in the way of the rename.
  for (let left = 20; ; left -= 1) {
    try {
      return await renameOnce();
    } catch (error) {
      if (left === 0 || (error as { code?: string }).code !== objectInUse) throw error;
      await sleep(100);
    }
  }
}

/** Whether the replayed database has the name of the one in use; asked for ten seconds while the server does not respond. */
async function isInUse({ adminUrl, database }: RestoreTarget, oid: number): Promise<boolean> {
  for (let left = 10; ; left -= 1) {
    try {
      return await withClient(adminUrl, async (client) => (await oidOf(client, database)) === oid);
    } catch (cause) {
      if (left === 0)
        throw new BackupError(
          'swap_unknown',
          'The connection was lost while the new database was put into use: the old or the new one is in use, and complete.',
          { cause },
        );
      await sleep(1_000);
    }
  }
}

async function oidOf(client: Client, database: string): Promise<number | undefined> {
  const { rows } = await client.query<{ oid: number }>('select oid from pg_database where datname = $1', [database]);
  return rows[0]?.oid;
}

/** Ends the sessions of databases. An owner who is no superuser needs membership in the roles of the services for it. */
async function endSessions(client: Client, databases: readonly string[]): Promise<void> {
  const protectedRoles = async (): Promise<string[]> => {
    const { rows } = await client.query<{ role: string }>(
      `select distinct rolname as role from pg_stat_activity join pg_roles r on r.oid = usesysid
       where datname = any($1) and not pg_has_role(r.oid, 'usage')
         and (rolsuper or not pg_has_role('pg_signal_backend', 'usage'))`,
      [databases],
    );
    return rows.map(({ role }) => role);
  };
  for (const role of await protectedRoles())
    await client.query(`grant ${client.escapeIdentifier(role)} to current_user`).catch(() => undefined);
  const [role] = await protectedRoles();
  if (role !== undefined)
    throw new BackupError(
      'rights_missing',
      `This role may not end the sessions of ${role}, which use the database. Stop what uses them, or let an administrator of ` +
        `the server run: grant ${client.escapeIdentifier(role)} to ${client.escapeIdentifier(client.user ?? 'the owner')}`,
    );
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = any($1) and usesysid is not null',
    [databases],
  );
}

export async function databaseExists({ adminUrl, database }: RestoreTarget): Promise<boolean> {
  return await withClient(adminUrl, async (client) => (await oidOf(client, database)) !== undefined);
}

/** Creates the database unless it is there. */
export async function ensureDatabase({ adminUrl, database }: RestoreTarget): Promise<void> {
  await withClient(adminUrl, async (client) => {
    if ((await oidOf(client, database)) === undefined)
      await client.query(`create database ${client.escapeIdentifier(database)}`);
  });
}

/** Drops what an interrupted restore left behind. */
export async function clearRestore({ adminUrl, database }: RestoreTarget): Promise<void> {
  await withClient(adminUrl, async (client) => {
    await dropDatabase(client, previousOf(database));
    await clearReplay(client, database);
  });
}

/** Drops what an interrupted replay left behind: its databases, then the role, which owns everything in one of them. */
export async function clearReplay(client: Client, database: string): Promise<void> {
  for (const name of [scratchOf(database), referenceOf(database)]) await dropDatabase(client, name);
  const role = replayRoleOf(database);
  const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role]);
  // Even a role that is not there needs a right to be dropped.
  if (rowCount) await client.query(`drop role ${client.escapeIdentifier(role)}`);
}

export async function dropDatabase(client: Client, name: string): Promise<void> {
  await client.query(`drop database if exists ${client.escapeIdentifier(name)} with (force)`);
}

/** The database that a backup is replayed into. */
export function scratchOf(database: string): string {
  // PostgreSQL would cut a longer one off, to the name of the database in use.
  if (Buffer.byteLength(database) > 47) throw new Error(`The name of the database is too long: ${database}`);
  return `${database}_restoring`;
}

/** The role that replays into {@link scratchOf}; it exists during the replay only. */
export function replayRoleOf(database: string): string {
  return scratchOf(database);
}

/** A database with the product's schema, which a replayed one is compared with. */
export function referenceOf(database: string): string {
  return `${database}_reference`;
}

/** The owner's address of another database on the same server. */
export function urlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** The replaced database, until it is dropped. */
function previousOf(database: string): string {
  return `${database}_before_restore`;
}
