import { chmod, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { hashTables } from '@overtone/database/content';
import type { TestDatabase } from '@overtone/testkit';
import { backupOptions, createFilledDatabase, createFolderDestination, programs, targetOf } from '../test/harness.ts';
import { createBackup, deleteAbandoned, deleteExpired, listBackups } from './backup.ts';
import { withClient } from './client.ts';
import { openDestination, type Destination } from './destination.ts';
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
    const pgDump = await script('exec sleep 3600');
    // Allowed: the limit is meant to abort it.
    const signal = AbortSignal.timeout(300);
    await expect(createBackup({ ...options(), programs: { ...programs, pgDump }, signal })).rejects.toThrow(
      BackupError,
    );
    expect(await readdir(place.folder)).toEqual([]);
  });

  it('starts no dump when it was aborted before', async () => {
    const pgDump = await script(`touch ${place.folder}/started; exec sleep 60`);
    const signal = AbortSignal.abort();
    await expect(createBackup({ ...options(), programs: { ...programs, pgDump }, signal })).rejects.toThrow();
    expect(await readdir(place.folder)).toEqual([]);
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

describe('the files of a failed backup', () => {
  it.each([
    { ending: '.dump', expected: [] },
    { ending: '.manifest.json', expected: ['.dump'] },
  ])('are deleted only when the backup has finished them: $ending cannot be written', async ({ ending, expected }) => {
    const deleted: string[] = [];
    const destination: Destination = {
      ...place.destination,
      put: async (name, body) => {
        if (name.endsWith(ending)) throw new BackupError('destination_unavailable', 'The network is down.');
        await place.destination.put(name, body);
      },
      delete: async (name) => {
        deleted.push(name.slice(name.indexOf('.')));
        await place.destination.delete(name);
      },
    };
    await expect(createBackup(backupOptions(database, destination))).rejects.toThrow('The network is down.');
    expect(deleted).toEqual(expected);
  });

  it('have the error of the unreadable table, and not that of the dump', async () => {
    const damaged = await createFilledDatabase(1);
    try {
      await withClient(damaged.url, async (client) => await client.query('drop table media_file cascade'));
      await expect(createBackup(backupOptions(damaged, place.destination))).rejects.toMatchObject({
        code: 'dump_failed',
        message: 'The database cannot be read: relation "media_file" does not exist',
      });
      expect(await readdir(place.folder)).toEqual([]);
    } finally {
      await damaged.drop();
    }
  });

  it('are removed a day later, and files of others stay', async () => {
    const { destination, folder } = place;
    const complete = await createBackup({ ...backupOptions(database, destination), passphrase: 'long enough it is' });
    const today = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const abandoned = ['overtone-20260101T000000Z-abcdef.dump', 'before-restore-20260101T000000Z-abcdef.keys.age'];
    const kept = ['mine.dump', 'movie.partial', 'overtone-20260101.dump', `overtone-${today}-abcdef.dump`];
    for (const name of [...abandoned, ...kept]) await writeFile(join(folder, name), 'x');
    expect((await deleteAbandoned(destination)).sort()).toEqual(abandoned.sort());
    expect((await readdir(folder)).sort()).toEqual(
      [...kept, complete.dump.file, `${complete.name}.keys.age`, `${complete.name}.manifest.json`].sort(),
    );
  });
});

describe('a folder of backups', () => {
  const longAgo = new Date('2026-01-01');

  it('loses unfinished files of this program after a day, and none of another program', async () => {
    const ours = join(place.folder, 'overtone-20260101T000000Z-abcdef.dump.partial');
    for (const file of [ours, join(place.folder, 'movie.partial')]) {
      await writeFile(file, 'half');
      await utimes(file, longAgo, longAgo);
    }
    await place.destination.put('a.dump', 'whole');
    expect((await readdir(place.folder)).sort()).toEqual(['a.dump', 'movie.partial']);
  });

  it('is not left through a planted symbolic link', async () => {
    const outside = join(place.folder, 'outside');
    await writeFile(outside, 'untouched');
    await symlink(outside, join(place.folder, 'a.dump.partial'));
    await expect(place.destination.put('a.dump', 'dump')).rejects.toMatchObject({ code: 'destination_unavailable' });
    expect(await readFile(outside, 'utf8')).toBe('untouched');
  });

  it('is listed although it holds a symbolic link to nothing', async () => {
    await symlink(join(place.folder, 'nothing'), join(place.folder, 'dangling.manifest.json'));
    await place.destination.put('a.dump', 'dump');
    expect(await place.destination.list()).toEqual([{ name: 'a.dump', bytes: 4 }]);
  });
});

describe('the hash of a table', () => {
  it('changes when values change places between rows', async () => {
    const filled = await createFilledDatabase(1);
    try {
      const hashOf = async (values: string): Promise<string> =>
        await withClient(filled.url, async (client) => {
          await client.query(
            `drop table if exists pairs; create table pairs (a int, b int); insert into pairs values ${values}`,
          );
          return (await hashTables(client)).find(({ name }) => name === 'pairs')!.content;
        });
      const hash = await hashOf('(1, 10), (2, 20)');
      expect(await hashOf('(2, 20), (1, 10)')).toBe(hash);
      expect(await hashOf('(1, 20), (2, 10)')).not.toBe(hash);
    } finally {
      await filled.drop();
    }
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
    expect(await deleteExpired(destination)).toEqual([]);
    expect(await deleteExpired(destination, { daily: 1, weekly: 1, monthly: 1 })).toEqual([first.name]);
    expect((await readdir(folder)).sort()).toEqual(
      [second.dump.file, `${second.name}.manifest.json`, 'stray.manifest.json', 'unfinished.dump'].sort(),
    );
  });
});
