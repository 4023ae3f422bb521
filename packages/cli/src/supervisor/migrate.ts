import { join } from 'node:path';
import { withClient } from '@overtone/backup';
import { clearRestore, ensureDatabase } from '@overtone/backup/databases';
import { compileCache, productFolder } from '../paths.ts';
import { databaseName, postgresUrl } from '../servers/postgres.ts';
import { markStores } from '../setup/stores.ts';
import { lastLines, run } from '../setup/run.ts';
import { databaseServices, databaseUrl, roleOf, type EnvironmentSource } from './environment.ts';

const migrateMain = join(productFolder, 'packages', 'database', 'src', 'migrate.main.ts');

/**
 * Creates the database at the first start, drops what a killed restore left, and migrates to this version's schema, which
 * running services must be able to use.
 */
export async function migrate(source: EnvironmentSource, { servicesRun = false } = {}): Promise<string> {
  const address = { port: source.instance.ports['postgres']!, password: source.secrets.read('db_overtone') };
  const target = { adminUrl: postgresUrl(address, 'postgres'), database: databaseName };
  await clearRestore(target);
  await ensureDatabase(target);
  const passwords = databaseServices.map(
    (name) => [`DB_PASSWORD_${roleOf(name).toUpperCase()}_FILE`, source.secrets.file(`db_${roleOf(name)}`)] as const,
  );
  const env = {
    ...Object.fromEntries(passwords),
    DATABASE_URL: databaseUrl(source, 'overtone'),
    NODE_COMPILE_CACHE: compileCache,
    MIGRATE_WHILE_SERVICES_RUN: String(servicesRun),
  };
  const { code, output } = await run(process.execPath, [migrateMain], { env });
  if (code !== 0) throw new Error(`the database schema cannot be brought up to date: ${lastLines(output, 3)}`);
  await markStores(source.folder, async () => await hasRecordings(env.DATABASE_URL));
  return lastLines(output, 1);
}

async function hasRecordings(url: string): Promise<boolean> {
  return await withClient(url, async (client) => {
    const { rowCount } = await client.query(`select from media_file where object_key <> '' limit 1`);
    return rowCount === 1;
  });
}
