import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres, type TestServer } from '@overtone/testkit';
import { createFolder, stopAfterFile } from '@overtone/testkit/cleanup';
import { Client } from 'pg';
import { backupOptions, contentOf, createFilledDatabase, encryptionKey, programs } from '../test/harness.ts';
import { withdrawRights } from './after-restore.ts';
import { createBackup } from './backup.ts';
import { withClient } from './client.ts';
import { swapDatabases } from './databases.ts';
import { openDestination, type Destination } from './destination.ts';
import type { Manifest } from './manifest.ts';
import { replay } from './restore.ts';

let server: TestServer;
let destination: Destination;
let manifest: Manifest;
beforeAll(async () => {
  server = await stopAfterFile(startPostgres());
  destination = openDestination({ folder: await createFolder() });
  const source = await createFilledDatabase(3);
  manifest = await createBackup(backupOptions(source, destination));
  await source.drop();
});

function urlOf(database: string, { user = 'overtone', port = server.port } = {}): string {
  return `postgresql://${user}:test@127.0.0.1:${port}/${database}`;
}

async function run(url: string, ...statements: string[]): Promise<void> {
  await withClient(url, async (client) => {
    for (const statement of statements) await client.query(statement);
  });
}

describe('the swap of databases', () => {
  /** Passes everything on until the client commits; the server gets the commit, and the client no reply. */
  async function startProxy(): Promise<Server> {
    const proxy = createServer((client) => {
      const upstream = connect(server.port, '127.0.0.1');
      for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
      client.on('data', (bytes) => {
        upstream.write(bytes);
        if (!bytes.includes('commit\0')) return;
        upstream.unpipe(client);
        upstream.once('data', () => client.destroy()).resume();
      });
      client.on('close', () => upstream.end());
      upstream.pipe(client);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  it('has succeeded when only the reply to its commit was lost', async () => {
    await run(urlOf('postgres'), 'create database lost', 'create database lost_restoring');
    await run(urlOf('lost_restoring'), 'create table restored ()');
    const proxy = await startProxy();
    const { port } = proxy.address() as AddressInfo;
    await swapDatabases({ adminUrl: urlOf('postgres', { port }), database: 'lost' });
    proxy.close();
    await run(urlOf('lost'), 'select from restored');
    await expect(run(urlOf('lost_before_restore'), 'select 1')).rejects.toMatchObject({ code: 'database_unavailable' });
  });

  it('fails while the old database stays in use when there is no new one', async () => {
    await run(urlOf('postgres'), 'create database alone');
    await expect(swapDatabases({ adminUrl: urlOf('postgres'), database: 'alone' })).rejects.toThrow('does not exist');
    await run(urlOf('alone'), 'select 1');
  });
});

describe('an owner who is no superuser', () => {
  const admin = { user: 'manager' };
  const target = (): Parameters<typeof swapDatabases>[0] => ({
    adminUrl: urlOf('postgres', admin),
    database: 'managed',
  });
  const restore = async (): Promise<void> => {
    const scratchUrl = await replay({ ...target(), manifest, destination, programs });
    const presentUrl = urlOf('managed', admin);
    const backupCreatedAt = new Date(manifest.created_at);
    await withdrawRights({
      encryptionKey,
      scratchUrl,
      presentUrl,
      backupName: manifest.name,
      backupCreatedAt,
      awaitDirectorySync: true,
    });
    await swapDatabases(target());
  };
  beforeAll(async () => {
    await run(urlOf('postgres'), `create role manager login createdb createrole password 'test'`);
    await run(urlOf('postgres', admin), 'create database managed');
  });

  it('restores, and ends the sessions of the services', async () => {
    await restore();
    const session = new Client({ connectionString: urlOf('managed', { user: 'media' }) });
    const ended = new Promise((resolve) => session.on('error', resolve));
    await session.connect();
    await restore();
    await ended;
    const files = (await contentOf(urlOf('managed', admin))).find(({ name }) => name === 'media_file');
    expect(files).toEqual(manifest.tables.find(({ name }) => name === 'media_file'));
  });

  it('is named the right that is missing when a superuser uses the database', async () => {
    const session = new Client({ connectionString: urlOf('managed') });
    await session.connect();
    await expect(restore()).rejects.toMatchObject({
      code: 'rights_missing',
      message: expect.stringContaining('grant "overtone" to "manager"'),
    });
    await session.end();
    await restore();
  });
});
