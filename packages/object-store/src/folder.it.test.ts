import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, rmdir, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { markFolder } from '@overtone/service-kit/folder-marker';
import { createFolderStore } from './folder.adapter.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'overtone-folder-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const writer = `
  import { createFolderStore } from ${JSON.stringify(import.meta.dirname + '/folder.adapter.ts')};
  const store = createFolderStore({ dir: process.argv[1] });
  const endless = async function* () {
    for (let n = 0; ; n += 1) {
      if (n === 200) process.stdout.write('writing');
      yield Buffer.alloc(65536);
      await new Promise((r) => setImmediate(r));
    }
  };
  await store.put('killed/object', endless());
`;

const filler = `
  import { createFolderStore } from ${JSON.stringify(import.meta.dirname + '/folder.adapter.ts')};
  const store = createFolderStore({ dir: process.argv[1] });
  const chunks = function* () { for (let n = 0; n < 64; n += 1) yield Buffer.alloc(65536); };
  const { kind, code } = await store.put('too/much', chunks()).catch((e) => e);
  console.log(JSON.stringify({ kind, code, found: await store.head('too/much').catch((e) => e.code) }));
`;

describe('folder store with a killed writer', () => {
  it('lists nothing of the unfinished object and cleans up its draft, but no draft of a live writer', async () => {
    const args = ['--no-warnings', '--input-type=module-typescript', '-e', writer, dir];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: {} });
    await once(child.stdout, 'data');
    const store = createFolderStore({ dir });
    expect(await store.removeLeftovers()).toBe(0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect(store.head('killed/object')).rejects.toMatchObject({ code: 'not_found' });
    expect(await readdir(join(dir, 'tmp'))).toHaveLength(1);
    expect(await store.removeLeftovers()).toBe(1);
    expect(await readdir(join(dir, 'tmp'))).toEqual([]);
  });

  it('reports the free space', async () => {
    const store = createFolderStore({ dir });
    const { freeBytes = 0, totalBytes = 0 } = (await store.space()) ?? {};
    expect(freeBytes).toBeGreaterThan(0);
    expect(totalBytes).toBeGreaterThanOrEqual(freeBytes);
  });

  it('cleans up drafts that another host left a day ago', async () => {
    const store = createFolderStore({ dir });
    await store.ping();
    const left = join(dir, 'tmp', 'elsewhere~1~x');
    await writeFile(left, 'x');
    expect(await store.removeLeftovers()).toBe(0);
    const yesterday = new Date(Date.now() - 25 * 3600 * 1000);
    await utimes(left, yesterday, yesterday);
    expect(await store.removeLeftovers()).toBe(1);
  });
});

describe('folder store that requires its marker', () => {
  const unavailable = { kind: 'unavailable', code: 'storage_unavailable' };

  it.each(['was deleted', 'was replaced by an empty one'])(
    'is unavailable when its folder %s, and makes none',
    async (how) => {
      const folder = join(dir, 'store');
      await markFolder(folder);
      const store = createFolderStore({ dir: folder, reserveBytes: 0, requiresMarker: true });
      await store.put('files/a/original', 'content');
      await rename(folder, join(dir, 'away'));
      if (how !== 'was deleted') await mkdir(folder);
      for (const attempt of [
        () => store.ping(),
        () => store.put('files/b/original', 'content'),
        () => store.get('files/a/original'),
        () => store.head('files/a/original'),
        () => store.delete('files/a/original'),
        () => store.deletePrefix('files/'),
        () => store.removeLeftovers(),
        () => store.space(),
        async () => {
          for await (const object of store.list('files/')) throw new Error(`listed ${object.key}`);
        },
      ])
        await expect(attempt()).rejects.toMatchObject(unavailable);
      expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
      if (how !== 'was deleted') await rmdir(folder);
      await rename(join(dir, 'away'), folder);
      await store.ping();
      expect(await store.head('files/a/original')).toMatchObject({ bytes: 7 });
      await expect(store.head('files/b/original')).rejects.toMatchObject({ kind: 'not_found' });
    },
  );
});

describe('folder store with concurrent writes and deletions', () => {
  it('lets both succeed and keeps each object completely or not at all', async () => {
    const store = createFolderStore({ dir });
    const bytes = Buffer.alloc(10_000, 7);
    for (let round = 0; round < 25; round += 1) {
      const puts = ['a', 'b', 'c'].map((name) => store.put(`derived/x/${name}`, bytes, { contentType: 'image/jpeg' }));
      await Promise.all([...puts, store.deletePrefix('derived/x/'), store.deletePrefix('derived/')]);
    }
    for await (const { bytes: size } of store.list('derived/')) expect(size).toBe(bytes.length);
  });
});

describe('folder store on a full disk', () => {
  it('reports that the storage is full and leaves nothing behind', async () => {
    // The limit on file sizes replaces a full disk: the kernel refuses the write at the same place.
    const script = `ulimit -f 1024; exec "$0" --no-warnings --input-type=module-typescript -e "$1" "$2"`;
    const child = spawn('bash', ['-c', script, process.execPath, filler, dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(JSON.parse(await text(child.stdout))).toEqual({
      kind: 'unavailable',
      code: 'storage_full',
      found: 'not_found',
    });
    expect(await readdir(join(dir, 'tmp'))).toEqual([]);
  });

  it('refuses writes and is not ready while less than the reserve is free, and accepts objects again afterwards', async () => {
    const reserveBytes = Number.MAX_SAFE_INTEGER;
    const full = createFolderStore({ dir, reserveBytes });
    await expect(full.put('a/b', 'text')).rejects.toMatchObject({ kind: 'unavailable', code: 'storage_full' });
    await expect(full.ping()).rejects.toMatchObject({ code: 'storage_full' });
    const store = createFolderStore({ dir });
    await store.put('a/b', 'text');
    expect((await full.head('a/b')).bytes).toBe(4);
    await full.delete('a/b');
    await expect(store.head('a/b')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('reports unavailable when the folder cannot be created', async () => {
    await writeFile(join(dir, 'file'), 'x');
    const store = createFolderStore({ dir: join(dir, 'file') });
    await expect(store.ping()).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
