import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { startPostgres, type TestServer } from './servers.ts';

const run = promisify(execFile);
const migrate = fileURLToPath(new URL('../../database/src/migrate.main.ts', import.meta.url));

/** The database every test database is a copy of. */
export const template = 'overtone_template';

/** A cluster whose template database has every migration applied. */
export async function startTemplateServer(): Promise<TestServer> {
  const server = await startPostgres();
  try {
    await statement(server.url, `CREATE DATABASE ${template}`);
    await run(process.execPath, [migrate], {
      env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: databaseUrl(server.url, template) },
    });
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The address of another database of the same server. */
export function databaseUrl(serverUrl: string, database: string, role?: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  if (role !== undefined) url.username = role;
  return url.href;
}

/** Runs one statement on a connection of its own. */
export async function statement(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
