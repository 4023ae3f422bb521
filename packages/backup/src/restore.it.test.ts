import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestDatabase } from '@overtone/testkit';
import {
  backupOptions,
  bucketDestination,
  contentOf,
  createFilledDatabase,
  createFolderDestination,
  passphrase,
  programs,
  startS3,
  targetOf,
  type S3Server,
} from '../test/harness.ts';
import { createBackup } from './backup.ts';
import { withClient } from './client.ts';
import type { Destination } from './destination.ts';
import type { Manifest } from './manifest.ts';
import { swapDatabases } from './databases.ts';
import { checkBackup, replay } from './restore.ts';

let server: S3Server;
let folder: Awaited<ReturnType<typeof createFolderDestination>>;
beforeAll(async () => {
  [server, folder] = await Promise.all([startS3(), createFolderDestination()]);
});
afterAll(async () => {
  await server.stop();
  await folder.remove();
});

const places = [
  ['a folder', () => folder.destination],
  ['a bucket', () => bucketDestination(server, 'backups/overtone')],
] as const;

describe.each(places)('a backup in %s', (_place, open) => {
  describe.each([
    ['plain', undefined],
    ['encrypted', passphrase],
  ])('%s', (_kind, secret) => {
    let source: TestDatabase;
    let destination: Destination;
    let manifest: Manifest;
    beforeAll(async () => {
      destination = open();
      source = await createFilledDatabase();
      manifest = await createBackup({
        ...backupOptions(source, destination),
        passphrase: secret,
        label: `b${Math.random().toString(36).slice(2)}`,
      });
    });
    afterAll(async () => {
      destination.close();
      await source.drop();
    });

    const restoreOver = async (target: TestDatabase, name = manifest.name): Promise<void> => {
      const checked = await checkBackup(destination, name);
      await replay({ ...targetOf(target), manifest: checked, destination, programs, passphrase: secret });
      await swapDatabases(targetOf(target));
    };
    const afterRestoreOver = async (target: TestDatabase) => {
      try {
        await restoreOver(target);
        return await contentOf(target.url);
      } finally {
        await target.drop();
      }
    };

    it('replaces the rows of a populated database', async () => {
      expect(await afterRestoreOver(await createFilledDatabase(3))).toEqual(manifest.tables);
    });

    it('fills an empty database', async () => {
      const target = await createFilledDatabase(1);
      await withClient(
        target.url,
        async (client) => await client.query('drop schema public cascade; create schema public'),
      );
      expect(await afterRestoreOver(target)).toEqual(manifest.tables);
    });

    it('replaces what an interrupted restore left behind', async () => {
      const target = await createFilledDatabase(2);
      await replay({ ...targetOf(target), manifest, destination, programs, passphrase: secret });
      expect(await afterRestoreOver(target)).toEqual(manifest.tables);
    });

    it.each([
      ['truncated', (bytes: Buffer) => bytes.subarray(0, -7), 'backup_damaged'],
      ['empty', () => Buffer.alloc(0), 'backup_damaged'],
      ['bit-flipped', (bytes: Buffer) => flipped(bytes, 1), 'backup_damaged'],
      ['another file', () => Buffer.from('not a dump'), 'backup_damaged'],
    ])('is refused before anything is touched when its dump is %s', async (_damage, damage, code) => {
      const target = await createFilledDatabase(4);
      const before = await contentOf(target.url);
      const original = await buffer(await destination.get(manifest.dump.file));
      await destination.put(manifest.dump.file, Readable.from([damage(original)]));
      await expect(restoreOver(target)).rejects.toMatchObject({ code });
      expect(await contentOf(target.url)).toEqual(before);
      await destination.put(manifest.dump.file, Readable.from([original]));
      await target.drop();
    });

    it('is refused when a bit of its manifest is flipped', async () => {
      const original = await buffer(await destination.get(`${manifest.name}.manifest.json`));
      for (const position of [30, 200, original.length - 50]) {
        await destination.put('flipped.manifest.json', Readable.from([flipped(original, 1, position)]));
        await expect(checkBackup(destination, 'flipped')).rejects.toMatchObject({ code: 'manifest_invalid' });
      }
    });

    it('is refused when it is not there', async () => {
      await expect(checkBackup(destination, 'nothing')).rejects.toMatchObject({ code: 'backup_missing' });
    });
  });
});

function flipped(bytes: Buffer, mask: number, position = Math.floor(bytes.length / 2)): Buffer {
  const copy = Buffer.from(bytes);
  copy[position]! ^= mask;
  return copy;
}
