import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { folderMarker, markFolder } from '@overtone/service-kit/folder-marker';
import { createFolderPlace } from './folder-place.adapter.ts';

describe('the folder for imported files', () => {
  let base: string;
  beforeEach(async () => {
    base = mkdtempSync(join(tmpdir(), 'overtone-watch-'));
    for (const folder of ['root/inbox/a/b', 'root/done', 'outside']) mkdirSync(join(base, folder), { recursive: true });
    writeFileSync(join(base, 'root/inbox/a/b/talk.wav'), 'sound');
    await markFolder(join(base, 'root/done'));
  });
  afterEach(() => rmSync(base, { recursive: true }));

  const moveAll = async (): Promise<void> => {
    const root = join(base, 'root');
    const place = createFolderPlace({
      path: join(root, 'inbox'),
      moveTo: join(root, 'done'),
      roots: [root],
      pollingOnly: true,
      onChange: () => undefined,
    });
    const { entries } = await place.list(new AbortController().signal);
    for (const entry of entries) await place.finish(entry, 'move');
    place.close();
  };

  it('gets the folders of the file', async () => {
    await moveAll();
    expect(existsSync(join(base, 'root/done/a/b/talk.wav'))).toBe(true);
    expect(existsSync(join(base, 'root/inbox/a/b/talk.wav'))).toBe(false);
  });

  it('creates nothing behind a link that leads out of the allowed folders', async () => {
    symlinkSync(join(base, 'outside'), join(base, 'root/done/a'));
    await expect(moveAll()).rejects.toMatchObject({ code: 'folder_refused' });
    expect(readdirSync(join(base, 'outside'))).toEqual([]);
    expect(existsSync(join(base, 'root/inbox/a/b/talk.wav'))).toBe(true);
  });

  it('gets nothing while it is an empty one without its marker, such as a disk that is not mounted', async () => {
    rmSync(join(base, 'root/done', folderMarker));
    await expect(moveAll()).rejects.toMatchObject({ code: 'not_mounted', message: expect.stringContaining('mounted') });
    expect(readdirSync(join(base, 'root/done'))).toEqual([]);
    expect(existsSync(join(base, 'root/inbox/a/b/talk.wav'))).toBe(true);
  });

  it('needs no marker when an earlier version has moved files to it', async () => {
    rmSync(join(base, 'root/done', folderMarker));
    writeFileSync(join(base, 'root/done/earlier.wav'), 'sound');
    await moveAll();
    expect(existsSync(join(base, 'root/done/a/b/talk.wav'))).toBe(true);
  });

  it('can be watched itself: its marker is no file of the source', async () => {
    const root = join(base, 'root');
    const place = createFolderPlace({
      path: join(root, 'done'),
      moveTo: '',
      roots: [root],
      pollingOnly: true,
      onChange: () => undefined,
    });
    expect((await place.list(new AbortController().signal)).entries).toEqual([]);
    place.close();
  });
});
