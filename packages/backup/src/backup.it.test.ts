import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestDatabase } from '@overtone/testkit';
import { backupOptions, createFilledDatabase, createFolderDestination, programs, targetOf } from '../test/harness.ts';
import { createBackup, deleteExpired, listBackups } from './backup.ts';
import { withClient } from './client.ts';
import { openDestination } from './destination.ts';
import { BackupError } from './errors.ts';
import { replay } from './restore.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createFilledDatabase();
});
afterAll(async () => await database.drop());

let place: Awaited<ReturnType<typeof createFolderDestination>>;
beforeEach(async () => {
  place = await createFolderDestination();
});
afterEach(async () => await place.remove());

/** A program in place of pg_dump. */
async function script(text: string): Promise<string> {
  const file = join(place.folder, '..', `${place.folder.split('/').at(-1)}.sh`);
  await writeFile(file, `#!/bin/sh\n${text}\n`);
  await chmod(file, 0o700);
  return file;
}

describe('a backup that fails', () => {
  const options = (): Parameters<typeof createBackup>[0] => backupOptions(database, place.destination);

  it.each([
    ['the dump ends with an error', { dump: 'printf half; echo "disk error" >&2; exit 1' }, 'dump_failed'],
    ['the dump is killed', { dump: 'printf half; kill -9 $$' }, 'dump_failed'],
    ['pg_dump is not installed', { pgDump: '/nowhere/pg_dump' }, 'program_missing'],
    ['the database does not respond', { databaseUrl: 'postgresql://x:y@127.0.0.1:9/overtone' }, 'database_unavailable'],
    ['the encryption key cannot be read', { encryptionKey: 'no key' }, 'keys_invalid'],
  ])('leaves no file when %s', async (_reason, { dump, ...changed }: Record<string, string>, code) => {
    const pgDump = dump === undefined ? (changed['pgDump'] ?? programs.pgDump) : await script(dump);
    const failing = createBackup({ ...options(), ...changed, programs: { ...programs, pgDump } });
    await expect(failing).rejects.toMatchObject({ code });
    expect(await readdir(place.folder)).toEqual([]);
  });

  it('leaves no file when it is aborted', async () => {
    const pgDump = await script('exec sleep 60');
    const signal = AbortSignal.timeout(300);
    const from = Date.now();
    await expect(createBackup({ ...options(), programs: { ...programs, pgDump }, signal })).rejects.toThrow(
      BackupError,
    );
    expect([await readdir(place.folder), Date.now() - from < 30_000]).toEqual([[], true]);
  });

  it('names a destination that cannot be written', async () => {
    const file = join(place.folder, 'file');
    await writeFile(file, '');
    const destination = openDestination({ folder: join(file, 'folder') });
    await expect(createBackup({ ...options(), destination })).rejects.toMatchObject({
      code: 'destination_unavailable',
    });
    await expect(destination.check()).rejects.toMatchObject({ code: 'destination_unavailable' });
  });

  it('leaves no half file on a full disk', async () => {
    const full = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from('half');
      await Promise.resolve();
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    await expect(place.destination.put('a.dump', Readable.from(full()))).rejects.toMatchObject({
      code: 'destination_full',
    });
    expect(await readdir(place.folder)).toEqual([]);
  });
});

describe('a backup of a database in use', () => {
  it('holds one moment: its dump replays to the hashes of its manifest', async () => {
    let busy = true;
    const writes = (async () => {
      while (busy)
        await withClient(
          database.url,
          async (client) => await client.query(`update media_file set title = title || '+', updated_at = now()`),
        );
    })();
    const { destination } = place;
    const manifest = await createBackup(backupOptions(database, destination));
    busy = false;
    await writes;
    await replay({ ...targetOf(database), manifest, destination, programs });
  });

  it('lets files of the backup be read by their owner only', async () => {
    await createBackup(backupOptions(database, place.destination));
    const { mode } = await import('node:fs/promises').then(async ({ stat }) =>
      stat(join(place.folder, (await readdir(place.folder))[0]!)),
    );
    expect(mode & 0o077).toBe(0);
  });
});

describe('the backups at a place', () => {
  it('are listed newest first without unfinished ones, and expire with all their files', async () => {
    const { destination, folder } = place;
    const first = await createBackup({
      ...backupOptions(database, destination),
      label: 'a',
      passphrase: 'long enough it is',
    });
    const second = await createBackup({ ...backupOptions(database, destination), label: 'b' });
    await writeFile(join(folder, 'unfinished.dump'), 'half');
    await writeFile(join(folder, 'stray.manifest.json'), '{');
    const { backups, unreadable } = await listBackups(destination);
    expect(backups.map(({ manifest }) => manifest.name)).toEqual([second.name, first.name]);
    expect(unreadable).toEqual(['stray.manifest.json']);
    expect(await deleteExpired(destination, { daily: 1, weekly: 1, monthly: 1 })).toEqual([first.name]);
    expect((await readdir(folder)).sort()).toEqual(
      [second.dump.file, `${second.name}.manifest.json`, 'stray.manifest.json', 'unfinished.dump'].sort(),
    );
  });
});
