import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { SchemaError } from './schema.ts';

/** How long a migration may wait for locks, and hold them. */
export type LockLimits = {
  /** Wait for one lock. Other sessions that need the same table wait behind the migration for at most this time. */
  lockTimeoutMs: number;
  /** All attempts of one migration to get its locks. */
  lockTotalMs: number;
  /** One statement, as it may hold locks. */
  statementTimeoutMs: number;
  /** Wait for another process that migrates the same database. */
  migratorWaitMs: number;
};

export const lockLimits: LockLimits = {
  lockTimeoutMs: 2_000,
  lockTotalMs: 60_000,
  statementTimeoutMs: 10 * 60_000,
  migratorWaitMs: 15 * 60_000,
};

/** Key of the advisory lock; used by no other lock of the product. */
const migratorKey = 0x07e570e;
const lockNotAvailable = '55P03';
const deadlockDetected = '40P01';

/**
 * Makes this connection the only one that migrates the database, until it closes.
 * @throws SchemaError schema_locked
 */
export async function lockMigrations(client: Client, { migratorWaitMs }: LockLimits): Promise<void> {
  // The server then notices within a second that a killed process has ended, and releases its locks. Linux and macOS only.
  await client.query(`set client_connection_check_interval = '1s'`).catch(() => {});
  await client.query(`set lock_timeout = ${migratorWaitMs}`);
  try {
    await client.query('select pg_advisory_lock($1)', [migratorKey]);
  } catch (cause) {
    if (codeOf(cause) !== lockNotAvailable) throw cause;
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_locks where locktype = 'advisory' and granted and objid = $1
         and database = (select oid from pg_database where datname = current_database())`,
      [migratorKey],
    );
    throw new SchemaError(
      'schema_locked',
      `another migration of this database runs for longer than ${migratorWaitMs} ms (pid ${rows[0]?.pid})`,
      { cause },
    );
  }
  await client.query('set lock_timeout = 0');
}

type Blocker = { pid: number; application: string; state: string | null; query: string };

/**
 * Runs `work` in a transaction that waits for a lock only briefly. When a lock is not available, it is rolled back, so that
 * other sessions can continue, and attempted again.
 * @throws SchemaError schema_locked, with the session that holds the lock.
 */
export async function runWithBoundedLocks(
  client: Client,
  url: string,
  { lockTimeoutMs, lockTotalMs, statementTimeoutMs }: LockLimits,
  work: () => Promise<void>,
): Promise<void> {
  const deadline = performance.now() + lockTotalMs;
  const watcher = await watchBlockers(client, url, lockTimeoutMs / 4);
  try {
    for (;;) {
      try {
        await client.query(
          `begin; set local lock_timeout = ${lockTimeoutMs}; set local statement_timeout = ${statementTimeoutMs}`,
        );
        await work();
        await client.query('commit');
        return;
      } catch (cause) {
        await client.query('rollback').catch(() => {});
        if (![lockNotAvailable, deadlockDetected].includes(codeOf(cause) ?? '')) throw cause;
        if (performance.now() >= deadline)
          throw new SchemaError(
            'schema_locked',
            `a lock was not available for ${lockTotalMs} ms${describe(watcher.last())}`,
            { cause },
          );
      }
      // The sessions that waited behind this one go first; jitter, because the holder may repeat at a fixed interval.
      await sleep(lockTimeoutMs * (0.25 + Math.random() / 2));
    }
  } finally {
    await watcher.stop();
  }
}

/** Remembers the session that the client waits for; only another connection can see it, opened at the first wait. */
async function watchBlockers(client: Client, url: string, everyMs: number) {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  let observer: Client | undefined;
  let last: Blocker | undefined;
  const look = async (): Promise<void> => {
    if (observer === undefined) {
      observer = new Client({ connectionString: url, application_name: 'migration-observer' });
      observer.on('error', () => {});
      await observer.connect();
    }
    const found = await observer.query<Blocker>(
      `select pid, application_name as application, state, query from pg_stat_activity
       where pid = any(pg_blocking_pids($1)) order by xact_start limit 1`,
      [rows[0]!.pid],
    );
    last = found.rows[0] ?? last;
  };
  const timer = setInterval(() => void look().catch(() => {}), everyMs);
  return {
    last: () => last,
    stop: async () => {
      clearInterval(timer);
      await observer?.end();
    },
  };
}

function describe(blocker: Blocker | undefined): string {
  if (blocker === undefined) return '';
  const { pid, application, state, query } = blocker;
  return `; it is held by pid ${pid} (${application || 'unnamed'}, ${state ?? 'unknown state'}): ${query.slice(0, 200)}`;
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}
