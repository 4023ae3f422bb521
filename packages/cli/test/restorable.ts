import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { Client } from 'pg';
import { withPostgres } from '../src/backup/with-postgres.ts';
import { dataFolder, productFolder } from '../src/paths.ts';
import { databaseName } from '../src/servers/postgres.ts';
import { run, type RunResult } from '../src/setup/run.ts';
import { setUp } from '../src/setup/set-up.ts';
import { migrate } from '../src/supervisor/migrate.ts';
import { sourceOf } from '../src/supervisor/run-instance.ts';

/** Data folders with one recording in the database, and the commands that back them up. The services do not run. */
export async function createRestorable() {
  const root = mkdtempSync(join(tmpdir(), 'overtone-restore-'));
  let data = join(root, 'data');
  let fileCount = 0;

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
  /** Sets up a data folder, which the commands use from then on. */
  const useFolder = async (name: string): Promise<void> => {
    data = join(root, name);
    mkdirSync(data);
    const folder = dataFolder(data);
    const instance = await setUp(folder, 1);
    await withPostgres(folder, async () => await migrate(sourceOf(folder, instance)));
  };

  await useFolder('data');
  await addFile();
  return {
    root,
    data: () => data,
    overtone,
    sql,
    addFile,
    titles,
    backUp,
    restore,
    useFolder,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
