import { join } from 'node:path';
import { findPrograms, type Programs } from '@overtone/backup';
import { postgresServer, postgresUrl } from '../servers/postgres.ts';
import { spawnProcess, stopProcess, waitUntilReady } from '../servers/process.ts';
import type { DataFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { readInstance } from '../setup/instance.ts';
import { secretsIn } from '../setup/secrets.ts';
import { processMark } from '../supervisor/instance-processes.ts';
import { readLiveRuntime } from '../supervisor/runtime.ts';

const startMs = 60_000;
const stopMs = 60_000;

/** The programs of PostgreSQL that dump and restore; in PG_BIN_DIR when it is set. */
export function postgresPrograms(): Programs {
  const found = findPrograms(process.env['PG_BIN_DIR'], process.env['PATH']);
  if (found !== undefined) return found;
  throw new Refusal('pg_dump and pg_restore are not installed. Run: ./overtone doctor (program_missing)');
}

/**
 * Runs work with the server of the instance: the running one, or one that is started for the work only.
 * `urlOf` returns the owner's address of a database.
 */
export async function withPostgres<T>(
  folder: DataFolder,
  work: (urlOf: (database: string) => string) => Promise<T>,
): Promise<T> {
  const instance = readInstance(folder);
  if (instance === undefined) throw new Refusal(`${folder.root} was not set up; start with: ./overtone up`);
  const port = instance.ports['postgres']!;
  const password = secretsIn(folder.secrets).read('db_overtone');
  const urlOf = (database: string): string => postgresUrl({ port, password }, database);
  if (readLiveRuntime(folder) !== undefined) return await work(urlOf);
  const spec = postgresServer({ folder: folder.postgres, port, password, durable: true });
  await spec.prepare?.();
  const options = { logFile: join(folder.logs, 'postgres.log'), env: processMark(folder.root, 'postgres') };
  const server = await spawnProcess(spec, options);
  try {
    await waitUntilReady(spec, server, startMs);
    return await work(urlOf);
  } finally {
    await stopProcess(spec, server, stopMs);
  }
}
