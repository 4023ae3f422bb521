import { join } from 'node:path';
import { clearRestore } from '@overtone/backup/databases';
import { Client } from 'pg';
import { databaseName } from '../servers/postgres.ts';
import { productFolder } from '../paths.ts';
import { postgresUrl } from '../servers/postgres.ts';
import { lastLines, run } from '../setup/run.ts';
import { databaseServices, databaseUrl, roleOf, type EnvironmentSource } from './environment.ts';

const migrateMain = join(productFolder, 'packages', 'database', 'src', 'migrate.main.ts');

/**
 * Creates the database at the first start, drops what a killed restore left, and migrates to this version's schema, which
 * running services must be able to use.
 */
export async function migrate(source: EnvironmentSource, { servicesRun = false } = {}): Promise<string> {
  await ensureDatabase(source);
  const passwords = databaseServices.map(
    (name) => [`DB_PASSWORD_${roleOf(name).toUpperCase()}_FILE`, source.secrets.file(`db_${roleOf(name)}`)] as const,
  );
  const env = {
    ...Object.fromEntries(passwords),
    DATABASE_URL: databaseUrl(source, 'overtone'),
    NODE_COMPILE_CACHE: source.folder.compileCache,
    MIGRATE_WHILE_SERVICES_RUN: String(servicesRun),
  };
  const { code, output } = await run(process.execPath, [migrateMain], { env });
  if (code !== 0) throw new Error(`the database schema cannot be brought up to date: ${lastLines(output, 3)}`);
  return lastLines(output, 1);
}

async function ensureDatabase({ instance, secrets }: EnvironmentSource): Promise<void> {
  const address = { port: instance.ports['postgres']!, password: secrets.read('db_overtone') };
  const adminUrl = postgresUrl(address, 'postgres');
  await clearRestore({ adminUrl, database: databaseName });
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [databaseName]);
    if (rowCount === 0) await client.query(`create database ${databaseName}`);
  } finally {
    await client.end();
  }
}
