import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPostgresBin } from '@overtone/testkit';
import { Client } from 'pg';
import { migrate, readMigrations, type Migration } from '../src/index.ts';

const execute = promisify(execFile);

/** Runs one of PostgreSQL's own programs. */
export async function runPostgresProgram(
  name: 'pg_dump' | 'psql',
  args: readonly string[],
  input: string | Buffer = '',
): Promise<string> {
  const running = execute(join(findPostgresBin()!, name), args, { maxBuffer: 64 * 1024 * 1024 });
  running.child.stdin?.on('error', () => {}).end(input);
  return (await running).stdout;
}

/** Executes a script; the first error ends it. */
export async function runScript(url: string, script: string | Buffer): Promise<void> {
  await runPostgresProgram('psql', ['--quiet', '--no-psqlrc', '--set=ON_ERROR_STOP=1', '--dbname', url], script);
}

/** The whole schema as text, with rights, without what differs from dump to dump. */
export async function dumpSchema(url: string): Promise<string> {
  const dump = await runPostgresProgram('pg_dump', ['--schema-only', '--no-owner', '--dbname', url]);
  return dump
    .split('\n')
    .filter((line) => !/^(--|\\(un)?restrict |$)/.test(line))
    .join('\n');
}

export async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  // A server that was killed ends its sessions late, also those that have no query.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const migrations = readMigrations();

/** The chain up to a version, without it. */
export function migrationsBefore(version: number): Migration[] {
  return migrations.filter((migration) => migration.version < version);
}

export type Scratch = ReturnType<typeof createScratch>;
/** Databases on a server that ends with the test. */
export function createScratch(serverUrl: string) {
  let count = 0;
  const sql = async <Row = Record<string, unknown>>(url: string, text: string): Promise<Row[]> =>
    await withClient(url, async (client) => (await client.query(text)).rows as Row[]);
  const create = async (template: string): Promise<string> => {
    const name = `scratch_${(count += 1)}`;
    await sql(serverUrl, `create database ${name} template ${template}`);
    return serverUrl.replace(/\/postgres$/, `/${name}`);
  };
  return {
    sql,
    empty: () => create('template0'),
    /** A database with the chain up to a version, without it. */
    before: async (version: number): Promise<string> => {
      const url = await create('template0');
      await migrate({ url, passwords: {}, migrations: migrationsBefore(version) });
      return url;
    },
    copyOf: (url: string) => create(new URL(url).pathname.slice(1)),
  };
}
