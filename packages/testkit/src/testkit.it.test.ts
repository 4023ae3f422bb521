import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'nats';
import { Client } from 'pg';
import { createDatabase, startNats, startPostgres, waitFor, type TestDatabase } from './index.ts';

async function query(url: string, sql: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('createDatabase', () => {
  let one: TestDatabase;
  let two: TestDatabase;
  beforeAll(async () => {
    [one, two] = await Promise.all([createDatabase(), createDatabase()]);
  });
  afterAll(async () => {
    await Promise.all([one.drop(), two.drop()]);
  });

  it('has every migration applied', async () => {
    expect(await query(one.url, 'SELECT max(version) > 0 AS migrated FROM schema_version')).toEqual([
      { migrated: true },
    ]);
  });

  it('does not see what another test writes', async () => {
    await query(one.url, 'CREATE TABLE mine (id int)');
    await expect(query(two.url, 'SELECT * FROM mine')).rejects.toThrow('does not exist');
  });

  it('gives a service its own rights and no more', async () => {
    await expect(query(one.urlFor('media'), 'CREATE TABLE theirs (id int)')).rejects.toThrow('permission denied');
  });
});

describe('servers of a test', () => {
  it('come back on the same address with what was committed', async () => {
    const server = await startPostgres({ durable: true });
    try {
      await query(server.url, 'CREATE TABLE kept (id int)');
      await server.kill9();
      await server.restart();
      expect(await query(server.url, 'SELECT * FROM kept')).toEqual([]);
    } finally {
      await server.stop();
    }
  });

  it('hold a user of the bus to its subjects', async () => {
    const users = [{ user: 'media', password: 'secret', publish: ['evt.media.>'], subscribe: ['_INBOX.>'] }];
    const server = await startNats({ users });
    try {
      const bus = await connect({ servers: server.url, user: 'media', pass: 'secret' });
      const refusals: string[] = [];
      void (async () => {
        for await (const status of bus.status()) refusals.push(JSON.stringify(status.data));
      })();
      bus.publish('evt.identity.user.deleted.v1', '{}');
      await waitFor(() => refusals.length > 0);
      expect(refusals[0]).toContain('PERMISSIONS_VIOLATION');
      await bus.close();
    } finally {
      await server.stop();
    }
  });
});

describe('waitFor', () => {
  it('reports the last error on timeout', async () => {
    const failing = () => {
      throw new Error('not there');
    };
    // Allowed: the limit is meant to end it.
    await expect(waitFor(failing, { timeoutMs: 30 })).rejects.toThrow('not there');
  });
});
