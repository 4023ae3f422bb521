import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrationHead } from '@overtone/database/migrations';
import type { TestDatabase } from '@overtone/testkit';
import {
  backupOptions,
  bucketDestination,
  contentOf,
  createFilledDatabase,
  createFolderDestination,
  encryptionKey,
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
import { describeProduct, findForeignCode } from './executable-objects.ts';
import { readManifest, verifyMaker, writeManifest, type Manifest } from './manifest.ts';
import { environmentOf } from './programs.ts';
import { clearRestore, swapDatabases } from './databases.ts';
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
    await destination.put('other.manifest.json', writeManifest({ ...manifest, name: 'other' }, encryptionKey));
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

describe('a backup that someone else wrote', () => {
  const otherKey = Buffer.alloc(32, 9).toString('base64');
  const backUp = async (statements: string, key = encryptionKey): Promise<Manifest> => {
    const source = await createFilledDatabase(2);
    try {
      await withClient(source.url, async (client) => await client.query(statements));
      return await createBackup({
        ...backupOptions(source, folder.destination),
        encryptionKey: key,
        label: `f${randomUUID().slice(0, 8)}`,
      });
    } finally {
      await source.drop();
    }
  };
  const replayOver = async (manifest: Manifest): Promise<unknown> => {
    const target = await createFilledDatabase(1);
    const { adminUrl, database } = targetOf(target);
    try {
      const options = { adminUrl, database, manifest, destination: folder.destination, programs };
      const failure: unknown = await replay(options).catch((error: unknown) => error);
      const leftovers = await withClient(adminUrl, async (client) => {
        const { rows } = await client.query(
          `select datname as name from pg_database where starts_with(datname, $1) union all
           select rolname from pg_roles where starts_with(rolname, $1)`,
          [`${database}_`],
        );
        return rows;
      });
      expect(leftovers).toEqual([]);
      return failure;
    } finally {
      await target.drop();
    }
  };

  it('is verified with each key of the installation, and not without its HMAC, after a change or with another key', async () => {
    const made = await backUp('select 1', otherKey);
    const manifest = await checkBackup(folder.destination, made.name);
    verifyMaker(manifest, `new:${encryptionKey},old:${otherKey}`);
    const changed = readManifest(writeManifest({ ...manifest, product_version: '9.0.0' }, encryptionKey));
    for (const unverified of [
      { ...manifest, manifest_hmac: undefined },
      { ...changed, manifest_hmac: manifest.manifest_hmac },
      changed,
    ])
      expect(() => verifyMaker(unverified, otherKey)).toThrow(expect.objectContaining({ code: 'backup_unverified' }));
  });

  it('runs no program on the server', async () => {
    const proof = join(folder.folder, 'ran');
    const body = `begin execute $run$copy (select 1) to program 'touch ${proof}'$run$; return true; end`;
    const manifest = await backUp(`
      create function run_program() returns boolean language plpgsql as $$ begin return true; end $$;
      create table bait (id integer check (run_program()));
      insert into bait values (1);
      create or replace function run_program() returns boolean language plpgsql as $$ ${body} $$`);
    expect(await replayOver(manifest)).toMatchObject({
      code: 'replay_failed',
      message: expect.stringContaining('pg_execute_server_program'),
    });
    expect(existsSync(proof)).toBe(false);
  });

  it('is refused before anything of it is used when it has a function that the product does not have', async () => {
    const manifest = await backUp(`create function helper() returns integer language sql as 'select 1'`);
    expect(await replayOver(manifest)).toMatchObject({
      code: 'schema_foreign',
      message: expect.stringMatching(/function .*helper/),
    });
  });

  const helper = `create function helper() returns integer language sql as 'select 1'`;
  const foreign = [
    [helper, /^function .*helper/],
    [
      `create or replace function refuse_held_file() returns trigger language plpgsql as $$ begin return old; end $$`,
      /^function .*refuse_held_file/,
    ],
    [`create aggregate total(integer) (sfunc = int4pl, stype = integer)`, /^function .*total/],
    [`${helper}; alter extension pgcrypto add function helper()`, /^function .*helper/],
    [
      'create trigger again before delete on tag for each row execute function refuse_held_file()',
      /^trigger CREATE TRIGGER again/,
    ],
    [
      `create function on_ddl() returns event_trigger language plpgsql as $$ begin end $$;
       create event trigger watching on ddl_command_end execute function on_ddl()`,
      /^event trigger watching/,
    ],
    ['create extension citext', /^extension citext/],
    ['create rule silent as on delete to tag do instead nothing', /^rule .*silent/],
    [`create view peek as select pg_read_file('PG_VERSION')`, /^rule [\s\S]*peek/],
    [`alter table tag add check (pg_read_file('PG_VERSION') is not null) not valid`, /^check .*pg_read_file/],
    [`create domain odd as text check (pg_read_file(value) is not null)`, /^check .*pg_read_file/],
    [`alter table tag alter name set default pg_read_file('PG_VERSION')`, /^default of .*pg_read_file/],
    ['create index twice on tag (upper(name))', /^index .*twice/],
    ['create policy open on tag using (true)', /^policy open/],
    ['create materialized view copied as select 1 as one', /^relation .*copied/],
    ['create operator === (leftarg = text, rightarg = text, function = texteq)', /^operator .*===/],
  ] as const;

  it('is refused for every kind of object that runs code', async () => {
    const database = await createFilledDatabase(1);
    const product = await describeProduct(targetOf(database), migrationHead());
    await withClient(database.url, async (client) => {
      expect(await findForeignCode(client, product)).toEqual([]);
      for (const [statement, line] of foreign) {
        await client.query(`begin; set local search_path = public; ${statement}`);
        expect(await findForeignCode(client, product)).toContainEqual(expect.stringMatching(line));
        await client.query('rollback');
      }
    });
    await database.drop();
  });

  it('leaves what it contains to the owner of the database, and no role', async () => {
    const target = await createFilledDatabase(1);
    const { adminUrl, database } = targetOf(target);
    const manifest = await backUp('select 1');
    const url = await replay({ adminUrl, database, manifest, destination: folder.destination, programs });
    const owners = await withClient(url, async (client) => {
      const { rows } = await client.query<{ owner: string }>(
        `select distinct relowner::regrole::text as owner from pg_class where relnamespace = 'public'::regnamespace
         union select nspowner::regrole::text from pg_namespace where nspname = 'public'
         union select rolname from pg_roles where starts_with(rolname, $1)`,
        [`${database}_`],
      );
      return rows.map(({ owner }) => owner).sort();
    });
    expect(owners).toEqual([new URL(adminUrl).username, 'pg_database_owner']);
    await clearRestore({ adminUrl, database });
    await target.drop();
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
