import { randomUUID } from 'node:crypto';
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
import { decrypt, encrypt } from './encryption.ts';
import { BackupError } from './errors.ts';
import { writeManifest, type Manifest } from './manifest.ts';
import { environmentOf } from './programs.ts';
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

// Encryption and place do not depend on each other: two backups cover all four.
const kinds = [
  ['a plain backup in a folder', () => folder.destination, undefined],
  ['an encrypted backup in a bucket', () => bucketDestination(server, 'backups/overtone'), passphrase],
] as const;

describe.each(kinds)('%s', (_kind, open, secret) => {
  let source: TestDatabase;
  let destination: Destination;
  let manifest: Manifest;
  beforeAll(async () => {
    destination = open();
    source = await createFilledDatabase();
    manifest = await createBackup({
      ...backupOptions(source, destination),
      passphrase: secret,
      label: `b${randomUUID().slice(0, 8)}`,
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

  it('is refused when its manifest names another file', async () => {
    await destination.put('other.manifest.json', writeManifest({ ...manifest, name: 'other' }));
    await expect(checkBackup(destination, 'other')).rejects.toMatchObject({ code: 'manifest_invalid' });
  });

  it('names the missing manifest of a dump, and what belongs to a backup', async () => {
    await destination.put('alone.dump', 'dump');
    await expect(checkBackup(destination, 'alone')).rejects.toThrow(
      /^alone\.manifest\.json is not in .*\. A backup is all files of its name/,
    );
  });

  it('reports the loss of the network as such, at the beginning and in the middle', async () => {
    const target = await createFilledDatabase(1);
    const bytes = await buffer(await destination.get(manifest.dump.file));
    for (const kept of [10, Math.floor(bytes.length / 2)]) {
      const cut = async function* (): AsyncGenerator<Buffer> {
        yield bytes.subarray(0, kept);
        await Promise.resolve();
        throw new BackupError('destination_unavailable', 'The network is down.');
      };
      const failing: Destination = {
        ...destination,
        get: async () => await Promise.resolve(Readable.from(cut(), { objectMode: false })),
      };
      const options = { ...targetOf(target), manifest, destination: failing, programs, passphrase: secret };
      await expect(replay(options)).rejects.toMatchObject({ code: 'destination_unavailable' });
    }
    await target.drop();
  });

  it('is refused when it is not there', async () => {
    await expect(checkBackup(destination, 'nothing')).rejects.toMatchObject({ code: 'backup_missing' });
  });
});

describe('an encrypted file', () => {
  const encryptedText = async (): Promise<Buffer> =>
    await buffer(await encrypt(Readable.from([Buffer.from('text')]), passphrase));

  it('is decrypted with its passphrase', async () => {
    const decrypted = await decrypt(Readable.from([await encryptedText()]), passphrase);
    expect((await buffer(decrypted)).toString()).toBe('text');
  });

  it('is refused at once when its header asks for more memory than any backup does', async () => {
    const text = (await encryptedText()).toString('latin1');
    expect(text).toMatch(/^.*\n-> scrypt \S+ 15\n/);
    const demanding = Buffer.from(text.replace(/ 15\n/, ' 22\n'), 'latin1');
    const before = process.cpuUsage();
    await expect(decrypt(Readable.from([demanding]), passphrase)).rejects.toMatchObject({ code: 'backup_damaged' });
    // The key would take more than ten seconds of a processor.
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });
});

describe('the connection parameters of a URL', () => {
  it('reach the programs, with the certificate of the authority', () => {
    expect(environmentOf('postgresql://u%40x:p%2F@db/name?sslmode=verify-full&sslrootcert=/ca.pem')).toMatchObject({
      PGHOST: 'db',
      PGPORT: '5432',
      PGUSER: 'u@x',
      PGPASSWORD: 'p/',
      PGDATABASE: 'name',
      PGSSLMODE: 'verify-full',
      PGSSLROOTCERT: '/ca.pem',
    });
  });
});

function flipped(bytes: Buffer, mask: number, position = Math.floor(bytes.length / 2)): Buffer {
  const copy = Buffer.from(bytes);
  copy[position]! ^= mask;
  return copy;
}
