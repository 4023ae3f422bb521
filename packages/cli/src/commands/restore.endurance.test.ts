import { spawn } from 'node:child_process';
import { closeSync, copyFileSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseKeyRing, seal } from '@overtone/service-kit/sealing';
import { createRestorable } from '../../test/restorable.ts';
import { freePort } from '../servers/ports.ts';
import { secretsIn } from '../setup/secrets.ts';

// The services do not run here: the commands start the database alone. The whole product is restored in packages/e2e.
describe('./overtone backup and restore', () => {
  const passphrase = { OT_BACKUP_PASSPHRASE: 'correct horse battery staple' };
  let instance: Awaited<ReturnType<typeof createRestorable>>;
  beforeAll(async () => {
    instance = await createRestorable();
  });
  afterAll(() => instance.remove());

  it('brings back an instance whose database is lost', async () => {
    const file = await instance.backUp('lost');
    const before = await instance.titles();
    rmSync(join(instance.data(), 'postgres'), { recursive: true });
    expect(await instance.restore(file)).toMatchObject({ code: 0 });
    expect(await instance.titles()).toEqual(before);
  });

  it('replaces an empty database, and says that there was nothing to dump', async () => {
    const file = await instance.backUp('empty');
    const before = await instance.titles();
    await instance.sql('drop schema public cascade; create schema public');
    const { code, output } = await instance.restore(file);
    expect([code, output]).toEqual([0, expect.stringContaining('there is nothing to dump')]);
    expect(await instance.titles()).toEqual(before);
  });

  it('replaces what an interrupted restore left behind', async () => {
    const file = await instance.backUp('interrupted');
    const before = await instance.titles();
    await instance.sql('create database overtone_restoring', 'postgres');
    await instance.sql('create database overtone_before_restore', 'postgres');
    await instance.sql('drop table media_file cascade');
    const refused = await instance.restore(file);
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('with --no-safety-dump')]);
    expect(await instance.restore(file, ['--no-safety-dump'])).toMatchObject({ code: 0 });
    expect(await instance.titles()).toEqual(before);
    expect(await instance.sql(`select 1 from pg_database where datname like 'overtone\\_%'`, 'postgres')).toEqual([]);
  });

  it('replaces a damaged database without its dump, and names what could not be compared', async () => {
    const file = await instance.backUp('damaged');
    const before = await instance.titles();
    await instance.sql(`insert into "user" (email) values ('damaged@example.org')`);
    const [row] = await instance.sql(`select pg_relation_filepath('"user"') as file`);
    const page = openSync(join(instance.data(), 'postgres', String(row!['file'])), 'r+');
    writeSync(page, Buffer.alloc(8192, 255));
    closeSync(page);
    const refused = await instance.restore(file);
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('invalid page')]);
    expect(refused.output).toContain('with --no-safety-dump');
    const { code, output } = await instance.restore(file, ['--no-safety-dump']);
    expect([code, output]).toEqual([
      0,
      expect.stringContaining('could not be read, and nothing was compared with them: user'),
    ]);
    expect(await instance.titles()).toEqual(before);
  });

  it('waits for another restore, and a backup waits for it', async () => {
    const file = await instance.backUp('waiting');
    const before = await instance.titles();
    const results = await Promise.all([
      instance.restore(file, ['--no-safety-dump']),
      instance.restore(file, ['--no-safety-dump']),
      instance.overtone(['backup', '--to', join(instance.root, 'meanwhile')]),
    ]);
    expect(results.map(({ code, output }) => (code === 0 ? 0 : output))).toEqual([0, 0, 0]);
    expect(await instance.titles()).toEqual(before);
  });

  it('encrypts only with a passphrase, and restores only with the same one', async () => {
    const refused = await instance.overtone(['backup', '--encrypt', '--to', join(instance.root, 'refused')]);
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('OT_BACKUP_PASSPHRASE')]);
    const file = await instance.backUp('encrypted', ['--encrypt'], passphrase);
    const before = await instance.titles();
    await instance.addFile();
    expect(await instance.restore(file)).toMatchObject({
      code: 1,
      output: expect.stringContaining('(passphrase_missing)'),
    });
    const wrong = await instance.restore(file, [], { OT_BACKUP_PASSPHRASE: 'another passphrase' });
    expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining('(passphrase_wrong)') });
    expect(wrong.output).not.toContain('stopped');
    expect(await instance.titles()).toHaveLength(before.length + 1);
    expect(await instance.restore(file, [], passphrase)).toMatchObject({ code: 0 });
    expect(await instance.titles()).toEqual(before);
  });

  describe('with another encryption key', () => {
    const secrets = () => secretsIn(join(instance.data(), 'secrets'));
    const fresh = Buffer.alloc(32, 7).toString('base64');
    let old = '';
    beforeEach(() => {
      old = secrets().read('encryption_key');
    });
    afterEach(() => writeFileSync(secrets().file('encryption_key'), old));
    const backUpWithOtherKey = async (name: string, args: readonly string[] = []): Promise<string> => {
      const file = await instance.backUp(name, args, passphrase);
      writeFileSync(secrets().file('encryption_key'), fresh);
      return file;
    };

    it('takes the keys of an encrypted backup from the file beside it', async () => {
      const file = await backUpWithOtherKey('keys-beside', ['--encrypt']);
      expect(await instance.restore(file, [], passphrase)).toMatchObject({ code: 0 });
      expect(secrets().read('encryption_key')).toBe(`${fresh},${old}`);
    });

    it('refuses a backup whose keys are elsewhere, until they are named', async () => {
      const file = await backUpWithOtherKey('keys-elsewhere', ['--encrypt']);
      const [keys, elsewhere] = [file.replace('.dump.age', '.keys.age'), join(instance.root, 'elsewhere.age')];
      renameSync(keys, elsewhere);
      const refused = await instance.restore(file, [], passphrase);
      expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('(keys_missing)') });
      expect(secrets().read('encryption_key')).toBe(fresh);
      expect(await instance.restore(file, ['--recovery-keys', elsewhere], passphrase)).toMatchObject({ code: 0 });
      expect(secrets().read('encryption_key')).toBe(`${fresh},${old}`);
    });

    it('restores a plain backup whose key is lost on request, and names the secrets to set again', async () => {
      const { keyId, text } = seal(parseKeyRing(old), 'ldap_bind_password', 'secret');
      await instance.sql(`insert into auth_config (config_key, category, config_value, is_sensitive, key_id)
                 values ('ldap_bind_password', 'ldap', '"${text}"', true, '${keyId}')`);
      const file = await backUpWithOtherKey('keys-lost');
      expect(await instance.restore(file)).toMatchObject({
        code: 1,
        output: expect.stringContaining('(keys_missing)'),
      });
      const { code, output } = await instance.restore(file, ['--without-keys']);
      expect([code, output]).toEqual([0, expect.stringContaining('ldap_bind_password cannot be read')]);
      await instance.sql(`delete from auth_config where config_key = 'ldap_bind_password'`);
    });
  });

  it('brings a lost machine back from a bucket alone, in a new data folder', async () => {
    const s3 = await startS3();
    try {
      expect(
        await instance.overtone(['backup', '--encrypt', '--to', s3.place], { ...s3.env, ...passphrase }),
      ).toMatchObject({
        code: 0,
      });
      const before = await instance.titles();
      const old = secretsIn(join(instance.data(), 'secrets')).read('encryption_key');
      await instance.useFolder('another');
      const list = await instance.overtone(['backups', '--from', s3.place], s3.env);
      const dump = /overtone-\S+\.dump\.age/.exec(list.output)![0];
      expect(await instance.restore(`${s3.place}/${dump}`, [], { ...s3.env, ...passphrase })).toMatchObject({
        code: 0,
      });
      expect(await instance.titles()).toEqual(before);
      expect(secretsIn(join(instance.data(), 'secrets')).read('encryption_key').split(',')[1]).toBe(old);
    } finally {
      s3.stop();
    }
  });

  it('refuses what is no backup, and a backup of a newer version', async () => {
    const file = await instance.backUp('newer');
    const before = await instance.titles();
    const stray = join(instance.root, 'stray.dump');
    copyFileSync(file, stray);
    expect(await instance.restore(stray)).toMatchObject({
      code: 1,
      output: expect.stringContaining('(backup_missing)'),
    });
    const newer = await backUpOfNewerSchema();
    expect(await instance.restore(newer)).toMatchObject({
      code: 1,
      output: expect.stringContaining('(schema_too_new)'),
    });
    expect(await instance.titles()).toEqual(before);
  });

  it('leaves the services stopped after a backup of an older schema, and says what to run', async () => {
    await instance.sql('delete from schema_version where version = (select max(version) from schema_version)');
    const file = await instance.backUp('older');
    const { code, output } = await instance.overtone(['restore', file, '--yes', '--no-safety-dump']);
    expect([code, output]).toEqual([
      0,
      expect.stringContaining('to migrate the backup to this version:  ./overtone up'),
    ]);
  });

  it('lists complete backups, and names damaged ones', async () => {
    const file = await instance.backUp('listed');
    expect((await instance.overtone(['backups', '--from', join(instance.root, 'listed')])).output).toContain(
      '✓ overtone-',
    );
    writeFileSync(file, 'x');
    expect((await instance.overtone(['backups', '--from', join(instance.root, 'listed')])).output).toContain(
      'is damaged',
    );
    expect((await instance.overtone(['backups', '--from', join(instance.root, 'nowhere')])).output).toContain(
      'There is no backup in',
    );
  });

  // Not from the test kit, which depends on this package.
  async function startS3() {
    const port = await freePort();
    const program = join(dirname(createRequire(import.meta.url).resolve('s3rver/package.json')), 'bin', 's3rver.js');
    const args = [
      '-d',
      join(instance.root, 's3'),
      '-a',
      '127.0.0.1',
      '-p',
      String(port),
      '-s',
      '--configure-bucket',
      'backups',
    ];
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
    await instance.sql(`insert into schema_version (version, name, checksum) values (999, 'future', 'x')`);
    const file = await instance.backUp('future');
    await instance.sql('delete from schema_version where version = 999');
    expect(readFileSync(file.replace('.dump', '.manifest.json'), 'utf8')).toContain('"schema_version": 999');
    return file;
  }
});
