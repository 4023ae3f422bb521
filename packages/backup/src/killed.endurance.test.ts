import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres, waitFor, type TestDatabase, type TestServer } from '@overtone/testkit';
import { backupOptions, contentOf, createFilledDatabase, createFolderDestination, targetOf } from '../test/harness.ts';
import { createBackup } from './backup.ts';
import { withClient } from './client.ts';
import type { TableContent } from '@overtone/database/content';
import type { Manifest } from './manifest.ts';

const restoreMain = fileURLToPath(new URL('../test/restore.main.ts', import.meta.url));
/** The acceptance run kills 40 restores and the server under 10 of them; every test run a few. */
const kills = Number(process.env['RESTORE_KILLS'] ?? 4);
const serverKills = Math.ceil(kills / 4);
/** A restore writes into these itself. */
const written = new Set(['refresh_token', 'audit_log', 'restore_record', 'user']);

let folder: Awaited<ReturnType<typeof createFolderDestination>>;
let source: TestDatabase;
let manifest: Manifest;
beforeAll(async () => {
  folder = await createFolderDestination();
  source = await createFilledDatabase(2_000);
  manifest = await createBackup(backupOptions(source, folder.destination));
});
afterAll(async () => {
  await source.drop();
  await folder.remove();
});

function unwritten(tables: readonly TableContent[]): TableContent[] {
  return tables.filter(({ name }) => !written.has(name));
}

function startRestore(database: Pick<TestDatabase, 'url'>) {
  const options = { ...targetOf(database), folder: folder.folder, name: manifest.name, presentUrl: database.url };
  const child = spawn(process.execPath, [restoreMain, JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const ended = new Promise<{ code: number | null; complaint: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, complaint })),
  );
  return { child, ended };
}

async function restoreWhole(database: Pick<TestDatabase, 'url'>): Promise<number> {
  const from = Date.now();
  expect(await startRestore(database).ended).toEqual({ code: 0, complaint: '' });
  return Date.now() - from;
}

describe('a restore that is killed', () => {
  it(`leaves the old or the new database, at any of ${kills} moments, and the next one succeeds`, async () => {
    const present = await createFilledDatabase(500);
    const old = unwritten(await contentOf(present.url));
    const timed = await createFilledDatabase(500);
    const duration = await restoreWhole(timed);
    await timed.drop();
    const outcomes = new Set<string>();
    for (let i = 0; i < kills; i += 1) {
      const { child, ended } = startRestore(present);
      // Evenly over the whole duration, the swap at its end included.
      await sleep(duration * ((i + 0.5) / kills) * 1.1);
      child.kill('SIGKILL');
      await ended;
      const found = unwritten(await contentOf(present.url));
      const outcome = JSON.stringify(found) === JSON.stringify(old) ? 'old' : 'new';
      if (outcome === 'new') expect(found).toEqual(unwritten(manifest.tables));
      outcomes.add(outcome);
    }
    expect(outcomes).toContain('old');
    await restoreWhole(present);
    expect(unwritten(await contentOf(present.url))).toEqual(unwritten(manifest.tables));
    await present.drop();
  });
});

describe('a server that is killed under a restore', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startPostgres({ durable: true });
  });
  afterAll(async () => await server.stop());

  const urlOf = (name: string): string => {
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    return url.href;
  };

  it(`has the old or the new database after each of ${serverKills} restarts`, async () => {
    await withClient(server.url, async (client) => await client.query('create database overtone'));
    const present = { url: urlOf('overtone') };
    const duration = await restoreWhole(present);
    await withClient(present.url, async (client) => await client.query('delete from transcript_segment'));
    const old = unwritten(await contentOf(present.url));
    for (let i = 0; i < serverKills; i += 1) {
      const { ended } = startRestore(present);
      await sleep(duration * ((i + 0.5) / serverKills));
      await server.kill9();
      const { code } = await ended;
      // The killed server's sessions hold its memory for a moment.
      await waitFor(
        async () =>
          await server.restart().then(
            () => true,
            () => false,
          ),
      );
      const found = unwritten(await contentOf(present.url));
      if (code === 0) expect(found).toEqual(unwritten(manifest.tables));
      expect([JSON.stringify(old), JSON.stringify(unwritten(manifest.tables))]).toContain(JSON.stringify(found));
    }
    await restoreWhole(present);
    expect(unwritten(await contentOf(present.url))).toEqual(unwritten(manifest.tables));
  });
});
