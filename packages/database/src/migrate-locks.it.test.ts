import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres, waitFor, type TestServer } from '@overtone/testkit';
import { Client } from 'pg';
import { migrate } from './index.ts';
import { parseMigration } from './migrations.ts';
import { createScratch, dumpSchema, migrationsBefore, withClient, type Scratch } from '../test/scratch.ts';

const header = '-- readable-by: v410\n-- proof: backfilled\n';

let server: TestServer;
let scratch: Scratch;
beforeAll(async () => {
  server = await startPostgres();
  scratch = createScratch(server.url);
});
afterAll(() => server.stop());

/** A session that holds a lock until its end. */
async function holdLock(url: string, statement: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'holder' });
  client.on('error', () => {});
  await client.connect();
  await client.query(`begin; ${statement}`);
  return client;
}

describe('a migration that waits for a lock', () => {
  const limits = { lockTimeoutMs: 500, lockTotalMs: 60_000 };

  it('lets readers of the table wait no longer than its lock timeout, and is applied once the lock is released', async () => {
    const url = await scratch.before(412);
    const holder = await holdLock(url, 'select count(*) from media_file');
    const migrating = migrate({ url, passwords: {}, limits: { ...limits, lockTotalMs: 300_000 } });
    const waiting = `select 1 from pg_locks
      where relation = 'media_file'::regclass and mode = 'AccessExclusiveLock' and not granted`;
    try {
      await withClient(url, async (reader) => {
        // Far above the lock timeout: a reader behind a migration that keeps waiting fails, as the lock is still held.
        await reader.query(`set statement_timeout = '60s'`);
        for (let reads = 0; reads < 5; reads += 1) {
          await waitFor(async () => (await reader.query(waiting)).rows[0] as unknown);
          await reader.query('select count(*) from media_file');
        }
      });
    } finally {
      await holder.end();
    }
    expect((await migrating).applied).toContain('stage_changes');
  });

  it('reports who holds the lock when it is not released in time, and changes nothing', async () => {
    const url = await scratch.before(412);
    const dump = await dumpSchema(url);
    const holder = await holdLock(url, `select 'the blocking statement' from media_file`);
    const [{ pid } = {}] = (
      await holder.query<{ pid: number }>(`select pg_backend_pid() as pid, 'the blocking statement'`)
    ).rows;
    await expect(migrate({ url, passwords: {}, limits: { ...limits, lockTotalMs: 1_500 } })).rejects.toMatchObject({
      code: 'schema_locked',
      message: expect.stringMatching(
        new RegExp(`pid ${pid} \\(holder, idle in transaction\\): .*the blocking statement`),
      ),
    });
    expect(await dumpSchema(url)).toBe(dump);
    await holder.end();
    expect((await migrate({ url, passwords: {} })).applied).toContain('stage_changes');
  });

  it('is attempted again after a deadlock', async () => {
    const url = await scratch.before(410);
    const service = await holdLock(url, 'lock table transcript_segment in row exclusive mode');
    const migrating = migrate({ url, passwords: {}, limits: { lockTimeoutMs: 10_000 } });
    // It holds media_file and waits for transcript_segment.
    await waitFor(async () => {
      const waiting = await scratch.sql(
        url,
        `select 1 from pg_locks where relation = 'transcript_segment'::regclass and not granted`,
      );
      return waiting.length > 0;
    });
    await service.query('select count(*) from media_file');
    await service.query('commit');
    await service.end();
    expect((await migrating).applied).toContain('bin_and_undo');
  });

  it('gives up after the total time when another process migrates, and reports that process', async () => {
    const url = await scratch.before(412);
    const holder = await holdLock(url, 'select pg_advisory_lock(8279822)');
    await expect(migrate({ url, passwords: {}, limits: { migratorWaitMs: 300 } })).rejects.toMatchObject({
      code: 'schema_locked',
      message: expect.stringMatching(/another migration of this database .*\(pid \d+\)/),
    });
    await holder.end();
  });
});

it('a statement of a migration that takes longer than the bound is cancelled, and nothing is kept', async () => {
  const url = await scratch.before(413);
  const dump = await dumpSchema(url);
  const slow = parseMigration('v990_slow.sql', `${header}create table backfilled (id integer); select pg_sleep(60);`);
  const chain = [...migrationsBefore(413), slow];
  await expect(migrate({ url, passwords: {}, migrations: chain, limits: { statementTimeoutMs: 200 } })).rejects.toThrow(
    'v990 slow failed; nothing of it was kept',
  );
  expect(await dumpSchema(url)).toBe(dump);
});
