import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@overtone/service-kit';
import { startPostgres, waitFor } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { Client, type Pool } from 'pg';
import { createPool } from './index.ts';

let pool: Pool;
let logged: string[];
const server = await stopAfterFile(startPostgres());
afterEach(async () => {
  thaw();
  await pool.end();
});

function openPool(size: number, silenceLimitMs?: number): Pool {
  logged = [];
  return (pool = createPool({
    env: { DATABASE_URL: server.url, DB_POOL_SIZE: size, DB_MAX_OVERFLOW: 0 },
    name: 'media',
    metrics: createMetrics(),
    log: { warn: () => logged.push('unresponsive'), info: () => logged.push('responsive') },
    ...(silenceLimitMs ? { silenceLimitMs } : {}),
  }));
}

/** Runs queries on a separate connection that the pool does not monitor. */
async function withOtherClient<T>(run: (other: Client) => Promise<T>): Promise<T> {
  const other = new Client({ connectionString: server.url, application_name: 'other' });
  await other.connect();
  try {
    return await run(other);
  } finally {
    await other.end();
  }
}

/** Signals the server and its child processes. */
function signalAll(signal: NodeJS.Signals): void {
  const pid = server.pid();
  process.kill(pid, signal);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  for (const child of children) {
    try {
      process.kill(Number(child), signal);
    } catch (error) {
      // The child process has just ended.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

function freeze(): void {
  return signalAll('SIGSTOP');
}

function thaw(): void {
  return signalAll('SIGCONT');
}

/** Waits until queries are rejected without being sent. */
function waitUntilRefused(): Promise<unknown> {
  return waitFor(async () => {
    const message = await pool.query('select 1').catch((error: Error) => error.message);
    return message === notSent;
  });
}

function waitUntilResponsive(): Promise<unknown> {
  return waitFor(async () => (await pool.query('select 1')).rowCount === 1);
}

const notSent = 'Connection terminated: no connection to the database, query not sent';
const noResponse = 'Connection terminated: database unresponsive, query may have been executed';
/** On a loaded machine the pool's own connection timeout can expire first. */
const noConnection = new RegExp(`^${notSent}$|^timeout exceeded when trying to connect$`);

async function count(db: Pick<Pool, 'query'>, table: string): Promise<number> {
  return (await db.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]?.n ?? -1;
}

describe('unresponsive database', () => {
  it('rejects pending queries, pending connection requests, and later requests', async () => {
    openPool(1);
    const client = await pool.connect();
    await client.query('begin');
    const connection = pool.query('select 1');
    const another = pool.connect();
    freeze();
    const answer = client.query('select 2');
    await expect(Promise.allSettled([answer, connection, another])).resolves.toMatchObject([
      { reason: { message: noResponse } },
      { reason: { message: expect.stringMatching(noConnection) } },
      { reason: { message: expect.stringMatching(noConnection) } },
    ]);
    await expect(pool.query('select 1')).rejects.toThrow(notSent);
    await expect(pool.connect()).rejects.toThrow(notSent);
    client.release();
  });

  it('serves all callers on all connections again when it responds again', async () => {
    openPool(4);
    const all = (): Promise<unknown[]> => Promise.all(Array.from({ length: 4 }, () => pool.query('select 1')));
    await all();
    freeze();
    await expect(all()).rejects.toThrow(noResponse);
    await waitUntilRefused();
    thaw();
    await waitUntilResponsive();
    await all();
    expect([pool.totalCount, pool.waitingCount]).toEqual([4, 0]);
    expect(logged).toEqual(['unresponsive', 'responsive']);
  });

  it('leaves no partial transaction, and no pool connection inside a transaction', async () => {
    openPool(1);
    await pool.query('create table halves (n int)');
    const client = await pool.connect();
    await client.query('begin');
    await client.query('insert into halves values (1)');
    freeze();
    await expect(client.query('insert into halves values (2)')).rejects.toThrow(noResponse);
    // The caller may still try to roll back, and may release the client without an error.
    await expect(client.query('rollback')).rejects.toThrow('Connection terminated');
    client.release();
    thaw();
    await waitUntilResponsive();
    await pool.query('insert into halves values (3)');
    const { rows } = await withOtherClient((other) => other.query('select n from halves'));
    expect(rows).toEqual([{ n: 3 }]);
  });

  it('rejects a query without a response as possibly executed, and the query is not retried', async () => {
    openPool(1);
    await pool.query('create table once (n int)');
    freeze();
    await expect(pool.query('insert into once values (1)')).rejects.toThrow(noResponse);
    thaw();
    await waitUntilResponsive();
    await withOtherClient(async (other) => {
      await waitFor(async () => (await count(other, 'once')) === 1);
      const busy = `pg_stat_activity where application_name = 'media' and state <> 'idle'`;
      await waitFor(async () => (await count(other, busy)) === 0);
      expect(await count(other, 'once')).toBe(1);
    });
  });

  it('is not assumed while a long query runs', async () => {
    openPool(4, 6_000);
    expect((await pool.query('select pg_sleep(8)')).rowCount).toBe(1);
    expect(logged).toEqual([]);
  });

  it('keeps a transaction that had no pending query during the silence', async () => {
    openPool(2);
    await Promise.all([pool.query('select 1'), pool.query('create table patient (n int)')]);
    const client = await pool.connect();
    await client.query('begin');
    await client.query('insert into patient values (1)');
    freeze();
    await waitUntilRefused();
    thaw();
    await waitUntilResponsive();
    await client.query('commit');
    client.release();
    expect(await count(pool, 'patient')).toBe(1);
  });
});
