import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { withClient } from './client.ts';

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
 */
export async function swapDatabases({ adminUrl, database }: RestoreTarget): Promise<void> {
  const [scratch, previous] = [scratchOf(database), previousOf(database)];
  await withClient(adminUrl, async (client) => {
    const quoted = (name: string): string => client.escapeIdentifier(name);
    await dropDatabase(client, previous);
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [database]);
    const rename = async (): Promise<void> => {
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = any($1)', [
        [database, scratch],
      ]);
      await client.query('begin');
      try {
        if (rowCount) await client.query(`alter database ${quoted(database)} rename to ${quoted(previous)}`);
        await client.query(`alter database ${quoted(scratch)} rename to ${quoted(database)}`);
        await client.query('commit');
      } catch (error) {
        await client.query('rollback');
        throw error;
      }
    };
    // A client that connects again in between is in the way of the rename.
    for (let left = 20; ; left -= 1) {
      try {
        await rename();
        break;
      } catch (error) {
        if (left === 0 || (error as { code?: string }).code !== objectInUse) throw error;
        await sleep(100);
      }
    }
    await dropDatabase(client, previous);
  });
}

/** Drops what an interrupted restore left behind. */
export async function clearRestore({ adminUrl, database }: RestoreTarget): Promise<void> {
  await withClient(adminUrl, async (client) => {
    for (const name of [scratchOf(database), previousOf(database)]) await dropDatabase(client, name);
  });
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

/** The replaced database, until it is dropped. */
function previousOf(database: string): string {
  return `${database}_before_restore`;
}
