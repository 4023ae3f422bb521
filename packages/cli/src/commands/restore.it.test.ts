import { spawn } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseKeyRing, seal } from '@overtone/service-kit/sealing';
import { Client } from 'pg';
import { withPostgres } from '../backup/with-postgres.ts';
import { dataFolder, productFolder } from '../paths.ts';
import { databaseName } from '../servers/postgres.ts';
import { freePort } from '../servers/ports.ts';
import { run, type RunResult } from '../setup/run.ts';
import { secretsIn } from '../setup/secrets.ts';
import { setUp } from '../setup/set-up.ts';
import { migrate } from '../supervisor/migrate.ts';
import { sourceOf } from '../supervisor/run-instance.ts';

// The services do not run here: the commands start the database alone. The whole product is restored in packages/e2e.
describe('./overtone backup and restore', () => {
  let root: string;
  let data: string;
  let fileCount = 0;
  const passphrase = { OT_BACKUP_PASSPHRASE: 'correct horse battery staple' };
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'overtone-restore-'));
    data = join(root, 'data');
    mkdirSync(data);
    const folder = dataFolder(data);
    const instance = await setUp(folder, 1);
    await withPostgres(folder, async () => await migrate(sourceOf(folder, instance)));
    await addFile();
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const overtone = async (args: readonly string[], env: Record<string, string> = {}): Promise<RunResult> =>
    await run(join(productFolder, 'overtone'), [...args, '--data', data], { cwd: root, env });
  const sql = async (text: string, database = databaseName): Promise<Record<string, unknown>[]> =>
    await withPostgres(dataFolder(data), async (urlOf) => {
      const client = new Client({ connectionString: urlOf(database) });
      await client.connect();
      const { rows } = await client.query<Record<string, unknown>>(text);
      await client.end();
      return rows;
    });
  const addFile = async (): Promise<void> => {
    fileCount += 1;
    await sql(
      `insert into media_file (user_id, filename, title, object_key, content_type, file_size)
       values (gen_random_uuid(), 'a.wav', 'File ${fileCount}', 'files/none/${fileCount}', 'audio/wav', 1)`,
    );
  };
  const titles = async (): Promise<unknown[]> =>
    (await sql('select title from media_file order by upload_time')).map(({ title }) => title);
  /** Backs up to a folder of its own. @returns the path of the dump. */
  const backUp = async (name: string, args: readonly string[] = [], env = {}): Promise<string> => {
    const to = join(root, name);
    expect(await overtone(['backup', '--to', to, ...args], env)).toMatchObject({ code: 0 });
    return join(
      to,
      readdirSync(to).find((file) => /\.dump(\.age)?$/.test(file))!,
    );
  };
  const restore = async (file: string, args: readonly string[] = [], env = {}): Promise<RunResult> =>
    await overtone(['restore', file, '--yes', '--no-restart', ...args], env);

  it('brings back the rows of the backup, and keeps those of the present in a dump that can be restored, too', async () => {
    await sql(`update media_file set title = E'File 1\\x1b[2J'`);
    const file = await backUp('first');
    await sql(`update media_file set title = 'File 1'`);
    await addFile();
    const { code, output } = await restore(file);
    expect([code, output]).toEqual([0, expect.stringContaining('the backup is in use')]);
    expect(output).toContain('the recording "File 1 [2J" is missing in the object store');
    await sql(`update media_file set title = 'File 1'`);
    expect(await titles()).toEqual(['File 1']);
    const safety = readdirSync(join(data, 'backups')).find((name) => /^before-restore-.*\.dump$/.test(name))!;
    expect((await restore(join(data, 'backups', safety), ['--no-safety-dump'])).code).toBe(0);
    expect(await titles()).toEqual(['File 1', 'File 2']);
  });

  it('brings back an instance whose database is lost', async () => {
    const file = await backUp('lost');
    const before = await titles();
    rmSync(join(data, 'postgres'), { recursive: true });
    expect(await restore(file)).toMatchObject({ code: 0 });
    expect(await titles()).toEqual(before);
  });

  it('replaces an empty database, and says that there was nothing to dump', async () => {
    const file = await backUp('empty');
    const before = await titles();
    await sql('drop schema public cascade; create schema public');
    const { code, output } = await restore(file);
    expect([code, output]).toEqual([0, expect.stringContaining('there is nothing to dump')]);
    expect(await titles()).toEqual(before);
  });

  it('replaces what an interrupted restore left behind', async () => {
    const file = await backUp('interrupted');
    const before = await titles();
    await sql('create database overtone_restoring', 'postgres');
    await sql('create database overtone_before_restore', 'postgres');
    await sql('drop table media_file cascade');
    const refused = await restore(file);
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('with --no-safety-dump')]);
    expect(await restore(file, ['--no-safety-dump'])).toMatchObject({ code: 0 });
    expect(await titles()).toEqual(before);
    expect(await sql(`select 1 from pg_database where datname like 'overtone\\_%'`, 'postgres')).toEqual([]);
  });

  it('replaces a damaged database without its dump, and names what could not be compared', async () => {
    const file = await backUp('damaged');
    const before = await titles();
    await sql(`insert into "user" (email) values ('damaged@example.org')`);
    const [row] = await sql(`select pg_relation_filepath('"user"') as file`);
    const page = openSync(join(data, 'postgres', String(row!['file'])), 'r+');
    writeSync(page, Buffer.alloc(8192, 255));
    closeSync(page);
    const refused = await restore(file);
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('invalid page')]);
    expect(refused.output).toContain('with --no-safety-dump');
    const { code, output } = await restore(file, ['--no-safety-dump']);
    expect([code, output]).toEqual([
      0,
      expect.stringContaining('could not be read, and nothing was compared with them: user'),
    ]);
    expect(await titles()).toEqual(before);
  });

  it('waits for another restore, and a backup waits for it', async () => {
    const file = await backUp('waiting');
    const before = await titles();
    const results = await Promise.all([
      restore(file, ['--no-safety-dump']),
      restore(file, ['--no-safety-dump']),
      overtone(['backup', '--to', join(root, 'meanwhile')]),
    ]);
    expect(results.map(({ code, output }) => (code === 0 ? 0 : output))).toEqual([0, 0, 0]);
    expect(await titles()).toEqual(before);
  });

  it('asks for a first start when the data folder was not set up', async () => {
    const args = ['restore', join(root, 'nothing.dump'), '--yes', '--data', join(root, 'no-data')];
    const { code, output } = await run(join(productFolder, 'overtone'), args);
    expect([code, output]).toEqual([1, expect.stringContaining('start once with: ./overtone up')]);
  });

  it('needs a confirmation', async () => {
    const file = await backUp('confirm');
    const { code, output } = await overtone(['restore', file]);
    expect([code, output]).toEqual([1, expect.stringContaining('Confirm with --yes')]);
  });

  it('encrypts only with a passphrase, and restores only with the same one', async () => {
    const refused = await overtone(['backup', '--encrypt', '--to', join(root, 'refused')]);
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('OT_BACKUP_PASSPHRASE')]);
    const file = await backUp('encrypted', ['--encrypt'], passphrase);
    const before = await titles();
    await addFile();
    expect(await restore(file)).toMatchObject({ code: 1, output: expect.stringContaining('(passphrase_missing)') });
    const wrong = await restore(file, [], { OT_BACKUP_PASSPHRASE: 'another passphrase' });
    expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining('(passphrase_wrong)') });
    expect(wrong.output).not.toContain('stopped');
    expect(await titles()).toHaveLength(before.length + 1);
    expect(await restore(file, [], passphrase)).toMatchObject({ code: 0 });
    expect(await titles()).toEqual(before);
  });

  describe('with another encryption key', () => {
    const secrets = () => secretsIn(join(data, 'secrets'));
    const fresh = Buffer.alloc(32, 7).toString('base64');
    let old = '';
    beforeEach(() => {
      old = secrets().read('encryption_key');
    });
    afterEach(() => writeFileSync(secrets().file('encryption_key'), old));
    const backUpWithOtherKey = async (name: string, args: readonly string[] = []): Promise<string> => {
      const file = await backUp(name, args, passphrase);
      writeFileSync(secrets().file('encryption_key'), fresh);
      return file;
    };

    it('takes the keys of an encrypted backup from the file beside it', async () => {
      const file = await backUpWithOtherKey('keys-beside', ['--encrypt']);
      expect(await restore(file, [], passphrase)).toMatchObject({ code: 0 });
      expect(secrets().read('encryption_key')).toBe(`${fresh},${old}`);
    });

    it('refuses a backup whose keys are elsewhere, until they are named', async () => {
      const file = await backUpWithOtherKey('keys-elsewhere', ['--encrypt']);
      const [keys, elsewhere] = [file.replace('.dump.age', '.keys.age'), join(root, 'elsewhere.age')];
      renameSync(keys, elsewhere);
      const refused = await restore(file, [], passphrase);
      expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('(keys_missing)') });
      expect(secrets().read('encryption_key')).toBe(fresh);
      expect(await restore(file, ['--recovery-keys', elsewhere], passphrase)).toMatchObject({ code: 0 });
      expect(secrets().read('encryption_key')).toBe(`${fresh},${old}`);
    });

    it('restores a plain backup whose key is lost on request, and names the secrets to set again', async () => {
      const { keyId, text } = seal(parseKeyRing(old), 'ldap_bind_password', 'secret');
      await sql(`insert into auth_config (config_key, category, config_value, is_sensitive, key_id)
                 values ('ldap_bind_password', 'ldap', '"${text}"', true, '${keyId}')`);
      const file = await backUpWithOtherKey('keys-lost');
      expect(await restore(file)).toMatchObject({ code: 1, output: expect.stringContaining('(keys_missing)') });
      const { code, output } = await restore(file, ['--without-keys']);
      expect([code, output]).toEqual([0, expect.stringContaining('ldap_bind_password cannot be read')]);
      await sql(`delete from auth_config where config_key = 'ldap_bind_password'`);
    });
  });

  it('brings a lost machine back from a bucket alone, in a new data folder', async () => {
    const s3 = await startS3();
    try {
      expect(await overtone(['backup', '--encrypt', '--to', s3.place], { ...s3.env, ...passphrase })).toMatchObject({
        code: 0,
      });
      const before = await titles();
      const old = secretsIn(join(data, 'secrets')).read('encryption_key');
      const [lost, another] = [data, join(root, 'another')];
      data = another;
      mkdirSync(another);
      const instance = await setUp(dataFolder(another), 1);
      await withPostgres(dataFolder(another), async () => await migrate(sourceOf(dataFolder(another), instance)));
      const list = await overtone(['backups', '--from', s3.place], s3.env);
      const dump = /overtone-\S+\.dump\.age/.exec(list.output)![0];
      expect(await restore(`${s3.place}/${dump}`, [], { ...s3.env, ...passphrase })).toMatchObject({ code: 0 });
      expect(await titles()).toEqual(before);
      expect(secretsIn(join(another, 'secrets')).read('encryption_key').split(',')[1]).toBe(old);
      data = lost;
    } finally {
      s3.stop();
    }
  });

  it('refuses what is no backup, and a backup of a newer version', async () => {
    const file = await backUp('newer');
    const before = await titles();
    const stray = join(root, 'stray.dump');
    copyFileSync(file, stray);
    expect(await restore(stray)).toMatchObject({ code: 1, output: expect.stringContaining('(backup_missing)') });
    const newer = await backUpOfNewerSchema();
    expect(await restore(newer)).toMatchObject({ code: 1, output: expect.stringContaining('(schema_too_new)') });
    expect(await titles()).toEqual(before);
  });

  it('leaves the services stopped after a backup of an older schema, and says what to run', async () => {
    await sql('delete from schema_version where version = (select max(version) from schema_version)');
    const file = await backUp('older');
    const { code, output } = await overtone(['restore', file, '--yes', '--no-safety-dump']);
    expect([code, output]).toEqual([
      0,
      expect.stringContaining('to migrate the backup to this version:  ./overtone up'),
    ]);
  });

  it('lists complete backups, and names damaged ones', async () => {
    const file = await backUp('listed');
    expect((await overtone(['backups', '--from', join(root, 'listed')])).output).toContain('✓ overtone-');
    writeFileSync(file, 'x');
    expect((await overtone(['backups', '--from', join(root, 'listed')])).output).toContain('is damaged');
    expect((await overtone(['backups', '--from', join(root, 'nowhere')])).output).toContain('There is no backup in');
  });

  // Not from the test kit, which depends on this package.
  async function startS3() {
    const port = await freePort();
    const program = join(dirname(createRequire(import.meta.url).resolve('s3rver/package.json')), 'bin', 's3rver.js');
    const args = ['-d', join(root, 's3'), '-a', '127.0.0.1', '-p', String(port), '-s', '--configure-bucket', 'backups'];
    const server = spawn(process.execPath, [program, ...args], { stdio: 'ignore' });
    const responds = async () =>
      await fetch(`http://127.0.0.1:${port}`).then(
        () => true,
        () => false,
      );
    while (!(await responds())) await sleep(50);
    const env = {
      OT_BACKUP_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      OT_BACKUP_S3_ACCESS_KEY_ID: 'S3RVER',
      OT_BACKUP_S3_SECRET_ACCESS_KEY: 'S3RVER',
    };
    return { env, place: 's3://backups/overtone', stop: () => void server.kill('SIGKILL') };
  }

  async function backUpOfNewerSchema(): Promise<string> {
    await sql(`insert into schema_version (version, name, checksum) values (999, 'future', 'x')`);
    const file = await backUp('future');
    await sql('delete from schema_version where version = 999');
    expect(readFileSync(file.replace('.dump', '.manifest.json'), 'utf8')).toContain('"schema_version": 999');
    return file;
  }
});
