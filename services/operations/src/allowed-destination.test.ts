import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BackupSettings, MirrorSettings } from '@overtone/contracts';
import { openBackupDestination } from './backup/backup.ts';
import { openMirror } from './mirror/open-mirror.ts';

const secrets = { s3_secret_key: null, passphrase: null };

describe('a destination whose disk is unmounted after a run has begun', () => {
  let base: string;
  let folder: string;
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'overtone-destination-'));
    folder = join(base, 'disk');
    // What an earlier version wrote, without a marker.
    mkdirSync(join(folder, 'objects'), { recursive: true });
  });
  afterEach(() => rmSync(base, { recursive: true }));

  const unmount = (left: 'nothing' | 'an empty folder'): void => {
    renameSync(folder, join(base, 'away'));
    if (left === 'an empty folder') mkdirSync(folder);
  };
  const isUntouched = (): boolean => !existsSync(folder) || readdirSync(folder).length === 0;

  it.each(['nothing', 'an empty folder'] as const)('gets no backup when %s is left in its place', async (left) => {
    const settings = { destination_type: 'folder', destination: folder } as BackupSettings;
    const destination = openBackupDestination(settings, secrets)!;
    await destination.put('a.dump', 'first');
    unmount(left);
    await expect(destination.put('a.manifest.json', '{}')).rejects.toMatchObject({ code: 'destination_unavailable' });
    expect(isUntouched()).toBe(true);
  });

  it.each(['nothing', 'an empty folder'] as const)('gets no copy when %s is left in its place', async (left) => {
    const settings = { destination_type: 'folder', destination: folder } as MirrorSettings;
    const mirror = openMirror(settings, secrets, { OBJECT_STORE_DIR: join(base, 'source') })!;
    await mirror.enter();
    await mirror.store.put('files/a/original', 'first');
    unmount(left);
    const unavailable = { code: 'storage_unavailable' };
    await expect(mirror.store.put('files/b/original', 'second')).rejects.toMatchObject(unavailable);
    // Not "there is none", which would count it as erased or copy it again.
    await expect(mirror.store.head('files/a/original')).rejects.toMatchObject(unavailable);
    await expect(mirror.store.deletePrefix('files/a/')).rejects.toMatchObject(unavailable);
    expect(isUntouched()).toBe(true);
  });
});
