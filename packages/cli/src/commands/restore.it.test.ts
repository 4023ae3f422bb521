import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { withPostgres } from '../backup/with-postgres.ts';
import { dataFolder, productFolder } from '../paths.ts';
import { databaseName } from '../servers/postgres.ts';
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
  const sql = async (text: string): Promise<Record<string, unknown>[]> =>
    await withPostgres(dataFolder(data), async (urlOf) => {
      const client = new Client({ connectionString: urlOf(databaseName) });
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
    const file = await backUp('first');
    await addFile();
    const { code, output } = await restore(file);
    expect([code, output]).toEqual([0, expect.stringContaining('the backup is in use')]);
    expect(output).toContain('the recording "File 1" is missing in the object store');
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

  it('refuses a backup that was sealed with another key, unless its keys come along', async () => {
    const file = await backUp('other-key', ['--encrypt'], passphrase);
    const secrets = secretsIn(join(data, 'secrets'));
    const [old, fresh] = [secrets.read('encryption_key'), Buffer.alloc(32, 7).toString('base64')];
    writeFileSync(secrets.file('encryption_key'), fresh);
    const refused = await restore(file, [], passphrase);
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('(keys_missing)') });
    expect(secrets.read('encryption_key')).toBe(fresh);
    const keys = file.replace('.dump.age', '.keys.age');
    expect(await restore(file, ['--recovery-keys', keys], passphrase)).toMatchObject({ code: 0 });
    expect(secrets.read('encryption_key')).toBe(`${fresh},${old}`);
    writeFileSync(secrets.file('encryption_key'), old);
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

  async function backUpOfNewerSchema(): Promise<string> {
    await sql(`insert into schema_version (version, name, checksum) values (999, 'future', 'x')`);
    const file = await backUp('future');
    await sql('delete from schema_version where version = 999');
    expect(readFileSync(file.replace('.dump', '.manifest.json'), 'utf8')).toContain('"schema_version": 999');
    return file;
  }
});
