import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  createBackup,
  manifestEnding,
  openDestination,
  readManifest,
  withClient,
  writeManifest,
} from '@overtone/backup';
import { createDatabase, startPostgres } from '@overtone/testkit';
import { cleanUpAfterFile, createFolder, stopAfterFile } from '@overtone/testkit/cleanup';
import { postgresPrograms } from '../backup/with-postgres.ts';
import { dataFolder, type DataFolder } from '../paths.ts';
import { databaseName } from '../servers/postgres.ts';
import { openSource } from './source.ts';

const ownKey = Buffer.alloc(32, 7).toString('base64');
const foreignKey = Buffer.alloc(32, 8).toString('base64');

describe('a backup that is rehearsed', () => {
  let folder: DataFolder;
  let urlOf: (database: string) => string;
  beforeAll(async () => {
    const root = await createFolder();
    mkdirSync(join(root, 'secrets'));
    writeFileSync(join(root, 'secrets', 'encryption_key'), `${ownKey}\n`);
    folder = dataFolder(root);
    const server = await stopAfterFile(startPostgres());
    urlOf = (database) => server.url.replace(/\/postgres$/, `/${database}`);
  });

  /** @returns the path of the dump of a database to which `statements` were added. */
  const backUp = async (statements: string): Promise<string> => {
    const place = await createFolder();
    const database = await createDatabase();
    cleanUpAfterFile(() => database.drop());
    await withClient(database.url, async (client) => await client.query(statements));
    const { dump } = await createBackup({
      databaseUrl: database.url,
      programs: postgresPrograms(),
      destination: openDestination({ folder: place }),
      productVersion: '0.5.0',
      encryptionKey: ownKey,
    });
    return join(place, dump.file);
  };
  /** The same of an author who has no key of the installation, but an earlier manifest of it. */
  const forge = async (statements: string): Promise<string> => {
    const from = await backUp(statements);
    const file = from.replace(/\.dump$/, manifestEnding);
    writeFileSync(file, writeManifest(readManifest(readFileSync(file, 'utf8')), foreignKey));
    return from;
  };
  const databases = async (): Promise<unknown[]> =>
    await withClient(urlOf('postgres'), async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select datname as name from pg_database where datname like '${databaseName}%' union select rolname from pg_roles where not rolsuper and rolcanlogin and rolname like '${databaseName}%'`,
      );
      return rows;
    });

  it('is refused before it is loaded when it was made without the key, or its manifest was altered', async () => {
    await expect(openSource({ from: await forge('select 1') }, folder)).rejects.toThrow('backup_unverified');
    const own = await backUp('select 1');
    await openSource({ from: own }, folder);
    const manifest = own.replace(/\.dump$/, manifestEnding);
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"0.5.0"', '"9.0.0"'));
    await expect(openSource({ from: own }, folder)).rejects.toMatchObject({ code: 'manifest_invalid' });
  });

  it.each([
    ['a function', `create function helper() returns integer language sql as 'select 1'`, /function .*helper/],
    [
      'a trigger',
      'create trigger again before delete on tag for each row execute function refuse_held_file()',
      /trigger CREATE TRIGGER again/,
    ],
    ['an extension', 'create extension citext', /extension citext/],
  ])('is refused when it has %s that the product does not have, also when it is accepted', async (_what, sql, line) => {
    const from = await forge(sql);
    const source = await openSource({ from, acceptUnverifiedBackup: true }, folder);
    await expect(source.load(urlOf)).rejects.toMatchObject({
      code: 'schema_foreign',
      message: expect.stringMatching(line),
    });
    expect(await databases()).toEqual([]);
  });

  it('runs no program on the server', async () => {
    const body = (proof: string) =>
      `begin execute $run$copy (select 1) to program 'touch ${proof}'$run$; return true; end`;
    const proof = join(await createFolder(), 'ran');
    const from = await forge(
      `create function run_program() returns boolean language plpgsql as $$ begin return true; end $$;
       create table bait (id integer check (run_program()));
       insert into bait values (1);
       create or replace function run_program() returns boolean language plpgsql as $$ ${body(proof)} $$`,
    );
    const source = await openSource({ from, acceptUnverifiedBackup: true }, folder);
    await expect(source.load(urlOf)).rejects.toMatchObject({ code: 'replay_failed' });
    expect([existsSync(proof), await databases()]).toEqual([false, []]);
    expect(existsSync(dirname(proof))).toBe(true);
  });

  it('of the installation is loaded', async () => {
    const source = await openSource({ from: await backUp('select 1') }, folder);
    await source.load(urlOf);
    expect(await databases()).toEqual([{ name: databaseName }]);
  });
});
