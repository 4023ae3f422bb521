import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { dataFolder, type DataFolder } from '../paths.ts';
import { writeInstance } from './instance.ts';
import { markStores } from './stores.ts';

describe('the markers of the stores', () => {
  let folder: DataFolder;
  beforeEach(() => {
    folder = dataFolder(mkdtempSync(join(tmpdir(), 'overtone-stores-')));
    writeInstance(folder, { port: 8080, ports: {}, adminAnnounced: false });
  });
  afterEach(() => rmSync(folder.root, { recursive: true }));

  const start = async ({ recordings }: { recordings: boolean }) =>
    await markStores(folder, async () => await Promise.resolve(recordings));
  const isMarked = () => [folder.objects, folder.search].map((store) => existsSync(join(store, '.overtone-store')));

  it('are made at the first start, and never again', async () => {
    await start({ recordings: false });
    expect(isMarked()).toEqual([true, true]);
    for (const store of [folder.objects, folder.search]) rmSync(store, { recursive: true });
    await start({ recordings: false });
    expect([folder.objects, folder.search].map((store) => existsSync(store))).toEqual([false, false]);
  });

  it('are made after an update when the folder holds something, and not when it is empty while there are recordings', async () => {
    mkdirSync(join(folder.objects, 'objects'), { recursive: true });
    await start({ recordings: true });
    expect(isMarked()).toEqual([true, false]);
    mkdirSync(folder.search);
    writeFileSync(join(folder.search, 'builds.json'), '{}');
    await start({ recordings: true });
    expect(isMarked()).toEqual([true, true]);
  });
});
