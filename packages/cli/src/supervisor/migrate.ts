import { join } from 'node:path';
import { Client } from 'pg';
import { productFolder } from '../paths.ts';
import { postgresUrl } from '../servers/postgres.ts';
import { lastLines, run } from '../setup/run.ts';
import { databaseServices, databaseUrl, roleOf, type EnvironmentSource } from './environment.ts';

const migrateMain = join(productFolder, 'packages', 'database', 'src', 'migrate.main.ts');

/** Creates the database at the first start and migrates it to this version's schema. */
export async function migrate(source: EnvironmentSource): Promise<string> {
  await ensureDatabase(source);
  const passwords = databaseServices.map(
    (name) => [`DB_PASSWORD_${roleOf(name).toUpperCase()}_FILE`, source.secrets.file(`db_${roleOf(name)}`)] as const,
  );
  const env = {
    ...Object.fromEntries(passwords),
    DATABASE_URL: databaseUrl(source, 'overtone'),
    NODE_COMPILE_CACHE: source.folder.compileCache,
  };
  const { code, output } = await run(process.execPath, [migrateMain], { env });
  if (code !== 0) throw new Error(`the database schema cannot be brought up to date: ${lastLines(output, 3)}`);
  return lastLines(output, 1);
}

async function ensureDatabase({ instance, secrets }: EnvironmentSource): Promise<void> {
  const address = { port: instance.ports['postgres']!, password: secrets.read('db_overtone') };
  const client = new Client({ connectionString: postgresUrl(address, 'postgres') });
  await client.connect();
  try {
    const { rowCount } = await client.query(`SELECT 1 FROM pg_database WHERE datname = 'overtone'`);
    if (rowCount === 0) await client.query('CREATE DATABASE overtone');
  } finally {
    await client.end();
  }
}
