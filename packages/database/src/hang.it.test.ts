import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@overtone/service-kit';
import { startPostgres, waitFor, type TestServer } from '@overtone/testkit';
import type { Pool } from 'pg';
import { createPool } from './index.ts';

let server: TestServer;
let pool: Pool;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
afterEach(async () => {
  thaw();
  await pool.end();
});

const open = (hangMs: number): Pool =>
  (pool = createPool({
    env: { DATABASE_URL: server.url, DB_POOL_SIZE: 4, DB_MAX_OVERFLOW: 4 },
    name: 'media',
    metrics: createMetrics(),
    log: { warn: () => {} },
    hangMs,
  }));
/** The server and the processes it has begotten. */
const signalAll = (signal: NodeJS.Signals): void => {
  const pid = server.pid();
  process.kill(pid, signal);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  for (const child of children) process.kill(Number(child), signal);
};
const freeze = (): void => signalAll('SIGSTOP');
const thaw = (): void => signalAll('SIGCONT');

describe('a database that hangs', () => {
  it('fails what waits for it, as one that is away, and is asked again when it goes on', async () => {
    open(500);
    await pool.query('select 1');
    const client = await pool.connect();
    await client.query('begin');
    freeze();
    const inTransaction = client.query('select 2');
    await expect(pool.query('select 1')).rejects.toThrow('Connection terminated');
    await expect(inTransaction).rejects.toThrow('Connection terminated');
    client.release(true);
    thaw();
    await waitFor(async () => (await pool.query('select 1')).rowCount === 1);
  });

  it('is not one that works on something long', async () => {
    open(1_500);
    await pool.query('select 1');
    expect((await pool.query('select pg_sleep(4)')).rowCount).toBe(1);
  });
});
