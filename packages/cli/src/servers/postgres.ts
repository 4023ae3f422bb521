import { lchownSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { findPostgresBin, unprivilegedUser } from './binaries.ts';
import { plainEnvironment, spawnProcess, type ProcessSpec, type SystemUser } from './process.ts';

const owner = 'overtone';
/** The database of an embedded instance. */
export const databaseName = 'overtone';
/** The write-ahead log may grow to this. */
export const maxWalMebibytes = 512;
// PostgreSQL's account may have no access to a parent folder (a clone in /root, a temporary folder), so the server
// uses an inherited descriptor of its folder.
const openedFolder = '/proc/self/fd/3';

/** Options of a PostgreSQL server. */
export type PostgresOptions = {
  readonly folder: string;
  readonly port: number;
  readonly password: string;
  /** `false` disables durability for speed: tests only. */
  readonly durable: boolean;
  readonly maxConnections?: number;
};

/** The address of a database for the owner of the cluster. */
export function postgresUrl(options: Pick<PostgresOptions, 'port' | 'password'>, database: string): string {
  return `postgresql://${owner}:${encodeURIComponent(options.password)}@127.0.0.1:${options.port}/${database}`;
}

/** A PostgreSQL server on loopback only; its folder is initialised at the first start. */
export function postgresServer(options: PostgresOptions): ProcessSpec {
  const bin = findPostgresBin();
  if (bin === undefined) throw new Error('PostgreSQL 15 or newer is not installed. Run: ./overtone doctor');
  const asRoot = process.getuid?.() === 0;
  const user = asRoot ? unprivilegedUser() : undefined;
  const inFolder = (folder: string) => ({
    env: plainEnvironment(),
    ...(user === undefined ? {} : { user, openFolder: folder }),
  });
  const dataArgument = (folder: string) => (user === undefined ? folder : openedFolder);
  return {
    ...inFolder(options.folder),
    name: 'postgres',
    command: join(bin, 'postgres'),
    args: ['-D', dataArgument(options.folder), ...settings(options).flatMap((setting) => ['-c', setting])],
    stopSignal: 'SIGINT', // "fast": sessions are ended, nothing committed is lost
    prepare: async () => {
      if (await isInitialised(options.folder)) return;
      await initialise(options, user, (folder, passwordFile) => ({
        ...inFolder(folder),
        name: 'initdb',
        command: join(bin, 'initdb'),
        args: ['-D', dataArgument(folder), ...initSettings(options), `--pwfile=${passwordFile}`],
        stopSignal: 'SIGTERM',
        probe: async () => await Promise.resolve(true),
      }));
    },
    probe: async () => await canQuery(options),
  };
}

function settings(options: PostgresOptions): string[] {
  const fast = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off'];
  return [
    `port=${options.port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=', // all clients use TCP; sockets would need a short and shared path
    `max_connections=${options.maxConnections ?? 200}`,
    'shared_buffers=64MB',
    `max_wal_size=${maxWalMebibytes}MB`,
    'jit=off',
    'log_timezone=UTC',
    'timezone=UTC',
    ...(options.durable ? [] : fast),
  ];
}

function initSettings(options: PostgresOptions): string[] {
  const base = ['-U', owner, '-E', 'UTF8', '--locale=C.UTF-8'];
  return options.durable ? [...base, '--auth=scram-sha-256'] : [...base, '--auth=trust', '--no-sync'];
}

// A cluster gets its final name only when it is complete, because initdb may be killed.
async function initialise(
  options: PostgresOptions,
  user: SystemUser | undefined,
  initdb: (folder: string, passwordFile: string) => ProcessSpec,
): Promise<void> {
  const unfinished = `${options.folder}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  const scratch = await mkdtemp(join(tmpdir(), 'overtone-initdb-'));
  const passwordFile = join(scratch, 'password');
  const logFile = join(scratch, 'log');
  try {
    await writeFile(passwordFile, `${options.password}\n`, { mode: 0o600 });
    if (user !== undefined) for (const path of [unfinished, scratch, passwordFile]) own(path, user);
    const { code } = await (await spawnProcess(initdb(unfinished, passwordFile), { logFile })).ended;
    if (code !== 0) throw new Error(`initdb failed: ${(await readFile(logFile, 'utf8')).trim()}`);
    await rename(unfinished, options.folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function isInitialised(folder: string): Promise<boolean> {
  try {
    return (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim() !== '';
  } catch {
    return false;
  }
}

function own(path: string, user: SystemUser): void {
  if (statSync(path).uid !== user.uid) lchownSync(path, user.uid, user.gid);
}

async function canQuery(options: PostgresOptions): Promise<boolean> {
  const client = new Client({
    connectionString: postgresUrl(options, 'postgres'),
    connectionTimeoutMillis: 1000,
    query_timeout: 1000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
