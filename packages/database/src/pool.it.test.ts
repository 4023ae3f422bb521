import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createMetrics, runInFlow, type Flow } from '@overtone/service-kit';
import { createDatabase, startFaultyProxy } from '@overtone/testkit';
import { cleanUpAfterFile, stopAfterFile } from '@overtone/testkit/cleanup';
import type { PoolClient } from 'pg';
import { createPool } from './index.ts';
import { limitedQuery } from './limited-query.ts';

const db = await createDatabase();
cleanUpAfterFile(db.drop);
const proxy = await stopAfterFile(startFaultyProxy({ port: Number(new URL(db.urlFor('media')).port) }));

/** A pool whose connections go through the proxy. */
function poolBehindProxy(limits: Partial<Parameters<typeof createPool>[0]>) {
  const url = new URL(db.urlFor('media'));
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  return createPool({
    env: { DATABASE_URL: url.href, DB_POOL_SIZE: 3, DB_MAX_OVERFLOW: 0 },
    name: 'media',
    metrics: createMetrics(),
    log: { warn: () => {}, info: () => {} },
    ...limits,
  });
}

function poolOf(DB_POOL_SIZE: number, DB_MAX_OVERFLOW: number, metrics = createMetrics()) {
  return createPool({
    env: { DATABASE_URL: db.urlFor('media'), DB_POOL_SIZE, DB_MAX_OVERFLOW },
    name: 'media',
    metrics,
    log: { warn: () => {}, info: () => {} },
  });
}

function many(pool: ReturnType<typeof poolOf>, count: number) {
  return Promise.all(Array.from({ length: count }, () => pool.query('select pg_sleep(0.05)')));
}

describe('connection pool', () => {
  it('opens at most DB_POOL_SIZE plus DB_MAX_OVERFLOW connections', async () => {
    const pool = poolOf(2, 3);
    await many(pool, 20);
    expect(pool.totalCount).toBe(5);
    await pool.end();
  });

  it('reuses its connections under load instead of opening new ones', async () => {
    const pool = poolOf(2, 3);
    let opened = 0;
    pool.on('connect', () => (opened += 1));
    for (let round = 0; round < 5; round++) await many(pool, 5);
    expect(opened).toBe(5);
    await pool.end();
  });

  it('times every statement, and counts it for the request that issued it, even after a wait for a connection', async () => {
    const metrics = createMetrics();
    const pool = poolOf(1, 0, metrics);
    const flowOf = (requestId: string): Flow => ({ requestId, route: '/', userId: null, dbQueries: 0 });
    const flows = [flowOf('one'), flowOf('two'), flowOf('three')];
    await Promise.all(flows.map((flow) => runInFlow(flow, () => pool.query('select pg_sleep(0.01)'))));
    await runInFlow(flows[0] as Flow, async () => {
      const client = await pool.connect();
      await client.query('select 1');
      client.release();
    });
    await expect(pool.query('select wrong')).rejects.toThrow('wrong');
    await pool.end();
    expect(flows.map((flow) => flow.dbQueries)).toEqual([2, 1, 1]);
    expect(await metrics.registry.metrics()).toMatch(/^db_query_duration_seconds_count 5$/m);
  });

  it('reports busy and maximum connections, and waiting callers', async () => {
    const metrics = createMetrics();
    const pool = poolOf(1, 1, metrics);
    const clients = await Promise.all([pool.connect(), pool.connect()]);
    const third = pool.connect();
    const full = await metrics.registry.metrics();
    for (const client of clients) client.release();
    (await third).release();
    expect(full).toMatch(/^db_pool_connections\{state="busy"\} 2$/m);
    expect(full).toMatch(/^db_pool_max_connections 2$/m);
    expect(full).toMatch(/^db_pool_waiting 1$/m);
    expect(await metrics.registry.metrics()).toMatch(/^db_pool_waiting 0$/m);
    await pool.end();
  });

  it('rejects callers that wait for a connection when it ends', async () => {
    const pool = poolOf(1, 0);
    const client = await pool.connect();
    const waiting = pool.connect().then(String, String);
    const ended = pool.end();
    client.release();
    await ended;
    expect(await Promise.race([waiting, nextTurn('still waiting')])).toMatch('Connection terminated');
  });

  it('replaces all idle connections that were dropped without a message, before a query is sent on one', async () => {
    const pool = poolBehindProxy({ trustedIdleMs: -1 });
    await many(pool, 3);
    let opened = 0;
    pool.on('connect', () => (opened += 1));
    proxy.silenceOpen();
    expect((await pool.query('select 1')).rowCount).toBe(1);
    await many(pool, 3);
    expect([opened, pool.totalCount, pool.waitingCount]).toEqual([3, 3, 0]);
    await pool.end();
  });

  it('rejects a query whose connection was dropped while in use, and serves the next one', async () => {
    const pool = poolBehindProxy({ trustedIdleMs: 3_600_000, checkQueriesEveryMs: 1_000 });
    const client = await pool.connect();
    await client.query('begin');
    proxy.silenceOpen();
    await expect(client.query('select 1')).rejects.toThrow('query may have been executed');
    client.release(true);
    expect((await pool.query('select 1')).rowCount).toBe(1);
    await pool.end();
  });

  it('does not reject a query that the server executes for a long time', async () => {
    const pool = poolBehindProxy({ checkQueriesEveryMs: 1_000 });
    expect((await pool.query('select pg_sleep(4)')).rowCount).toBe(1);
    await pool.end();
  });

  it('does not reject a long query when a connection pooler names another process than that of the server', async () => {
    const pool = poolBehindProxy({ checkQueriesEveryMs: 1_000 });
    pool.on('connect', (client) => Object.assign(client, { processID: 1 }));
    expect((await pool.query('select pg_sleep(4)')).rowCount).toBe(1);
    await pool.end();
  });

  it('rejects a limited query whose connection was dropped without a message, and replaces the connection', async () => {
    const pool = poolBehindProxy({ trustedIdleMs: 3_600_000 });
    await pool.query('select 1');
    proxy.silenceOpen();
    await expect(pool.query(limitedQuery({ text: 'select 1' }, 10))).rejects.toThrow('Query read timeout');
    expect((await pool.query('select 1')).rowCount).toBe(1);
    await pool.end();
  });

  it('rejects a caller that waits for the test of an idle connection when the pool ends', async () => {
    const pool = poolBehindProxy({ trustedIdleMs: -1 });
    await pool.query('select 1');
    proxy.silenceOpen();
    const waiting = pool.connect().then(String, String);
    await nextTurn();
    await pool.end();
    expect(await waiting).toMatch(/after calling end on the pool|Connection terminated/);
  });

  it.each([
    { trustedIdleMs: 3_600_000, last: 'select 17' },
    { trustedIdleMs: -1, last: 'select 1' },
  ])('sends no test on a connection that was in use within $trustedIdleMs ms', async ({ trustedIdleMs, last }) => {
    const [pool, observer] = [poolBehindProxy({ trustedIdleMs }), poolOf(1, 0)];
    await pool.query('select 17');
    const client = (await pool.connect()) as PoolClient & { processID: number };
    const { rows } = await observer.query('select query from pg_stat_activity where pid = $1', [client.processID]);
    expect(rows).toEqual([{ query: last }]);
    client.release();
    await Promise.all([pool.end(), observer.end()]);
  });

  it('frees the locks of a transaction whose client vanished behind a proxy', async () => {
    const [pool, other] = [poolBehindProxy({ abandonedAfterMs: 50 }), poolOf(1, 0)];
    const client = await pool.connect();
    await client.query('begin; select pg_advisory_xact_lock(7)');
    proxy.silenceOpen();
    await other.query('select pg_advisory_lock(7)');
    client.release(true);
    await Promise.all([pool.end(), other.end()]);
  });
});
