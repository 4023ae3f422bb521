import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@overtone/service-kit';
import { startPostgres, waitFor, type TestServer } from '@overtone/testkit';
import { Client, type Pool } from 'pg';
import { createPool } from './index.ts';

let server: TestServer;
let pool: Pool;
let said: string[];
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
afterEach(async () => {
  thaw();
  await pool.end();
});

const open = (size: number, hangMs?: number): Pool => {
  said = [];
  return (pool = createPool({
    env: { DATABASE_URL: server.url, DB_POOL_SIZE: size, DB_MAX_OVERFLOW: 0 },
    name: 'media',
    metrics: createMetrics(),
    log: { warn: () => said.push('hangs'), info: () => said.push('answers') },
    ...(hangMs ? { hangMs } : {}),
  }));
};
/** Looks with the eyes of another. */
const elsewhere = async <T>(look: (other: Client) => Promise<T>): Promise<T> => {
  const other = new Client({ connectionString: server.url, application_name: 'other' });
  await other.connect();
  try {
    return await look(other);
  } finally {
    await other.end();
  }
};
/** The server and the processes it has begotten. */
const signalAll = (signal: NodeJS.Signals): void => {
  const pid = server.pid();
  process.kill(pid, signal);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  for (const child of children) {
    try {
      process.kill(Number(child), signal);
    } catch (e) {
      // It had just been told to end.
      if ((e as NodeJS.ErrnoException).code !== 'ESRCH') throw e;
    }
  }
};
const freeze = (): void => signalAll('SIGSTOP');
const thaw = (): void => signalAll('SIGCONT');

/** Waits for as long as it takes to be refused before it is asked. */
const refused = (): Promise<unknown> =>
  waitFor(async () => {
    const word = await pool.query('select 1').catch((e: Error) => e.message);
    return word === notAsked;
  });
const well = (): Promise<unknown> => waitFor(async () => (await pool.query('select 1')).rowCount === 1);
const notAsked = 'Connection terminated: the database hangs, and was not asked';
const notAnswered = 'Connection terminated: the database hangs, and may have done it';
/** The pool's own patience with a connection may end first, on a machine that is busy. */
const noConnection = new RegExp(`^${notAsked}$|^timeout exceeded when trying to connect$`);
const count = async (asker: Pick<Pool, 'query'>, table: string): Promise<number> =>
  (await asker.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]?.n ?? -1;

describe('a database that hangs', () => {
  it('is told of to who waits for an answer, for a connection, and to who comes later', async () => {
    open(1);
    const client = await pool.connect();
    await client.query('begin');
    const connection = pool.query('select 1');
    const another = pool.connect();
    freeze();
    const answer = client.query('select 2');
    await expect(Promise.allSettled([answer, connection, another])).resolves.toMatchObject([
      { reason: { message: notAnswered } },
      { reason: { message: expect.stringMatching(noConnection) } },
      { reason: { message: expect.stringMatching(noConnection) } },
    ]);
    await expect(pool.query('select 1')).rejects.toThrow(notAsked);
    await expect(pool.connect()).rejects.toThrow(notAsked);
    client.release();
  });

  it('is asked again when it goes on, by everybody and on every connection', async () => {
    open(4);
    const all = (): Promise<unknown[]> => Promise.all(Array.from({ length: 4 }, () => pool.query('select 1')));
    await all();
    freeze();
    await expect(all()).rejects.toThrow(notAnswered);
    await refused();
    thaw();
    await well();
    await all();
    expect([pool.totalCount, pool.waitingCount]).toEqual([4, 0]);
    expect(said).toEqual(['hangs', 'answers']);
  });

  it('leaves no half of a transaction, and no connection that is in one', async () => {
    open(1);
    await pool.query('create table halves (n int)');
    const client = await pool.connect();
    await client.query('begin');
    await client.query('insert into halves values (1)');
    freeze();
    await expect(client.query('insert into halves values (2)')).rejects.toThrow(notAnswered);
    // Who holds it may mean well, and may not say why it comes back.
    await expect(client.query('rollback')).rejects.toThrow('Connection terminated');
    client.release();
    thaw();
    await well();
    await pool.query('insert into halves values (3)');
    const { rows } = await elsewhere((other) => other.query('select n from halves'));
    expect(rows).toEqual([{ n: 3 }]);
  });

  it('may have done what it did not answer: that is said, and nobody asks for it again', async () => {
    open(1);
    await pool.query('create table once (n int)');
    freeze();
    await expect(pool.query('insert into once values (1)')).rejects.toThrow(notAnswered);
    thaw();
    await well();
    await elsewhere(async (other) => {
      await waitFor(async () => (await count(other, 'once')) === 1);
      const busy = `pg_stat_activity where application_name = 'media' and state <> 'idle'`;
      await waitFor(async () => (await count(other, busy)) === 0);
      expect(await count(other, 'once')).toBe(1);
    });
  });

  it('is not one that works on something long', async () => {
    open(4, 6_000);
    expect((await pool.query('select pg_sleep(8)')).rowCount).toBe(1);
    expect(said).toEqual([]);
  });

  it('goes on in the transaction of who did not wait for it meanwhile', async () => {
    open(2);
    await Promise.all([pool.query('select 1'), pool.query('create table patient (n int)')]);
    const client = await pool.connect();
    await client.query('begin');
    await client.query('insert into patient values (1)');
    freeze();
    await refused();
    thaw();
    await well();
    await client.query('commit');
    client.release();
    expect(await count(pool, 'patient')).toBe(1);
  });
});
