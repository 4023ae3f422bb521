import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { BackupError } from './errors.ts';

/** Full names of PostgreSQL's programs; they must be at least as new as the server. */
export type Programs = { readonly pgDump: string; readonly pgRestore: string };

const debianRoot = '/usr/lib/postgresql';

/**
 * PostgreSQL's programs in `binFolder`, or in the newest version of Debian's packages, or in the folders of `path`.
 * @returns undefined when they are not on this machine.
 */
export function findPrograms(binFolder?: string, path = ''): Programs | undefined {
  const needed = ['pg_dump', 'pg_restore'];
  const folder = binFolder
    ? findFolder(needed, [binFolder])
    : (findDebianFolder(needed) ?? findFolder(needed, path.split(delimiter)));
  return folder === undefined ? undefined : { pgDump: join(folder, 'pg_dump'), pgRestore: join(folder, 'pg_restore') };
}

/** The folder of the newest of Debian's PostgreSQL packages, from version `floor`, that contains all these programs. */
export function findDebianFolder(programs: readonly string[], floor = 1, root = debianRoot): string | undefined {
  const versions = foldersIn(root)
    .map(Number)
    .filter((version) => version >= floor)
    .sort((left, right) => right - left);
  return findFolder(
    programs,
    versions.map((version) => join(root, String(version), 'bin')),
  );
}

/** The first folder that contains all these programs. */
export function findFolder(programs: readonly string[], folders: readonly string[]): string | undefined {
  return folders.find((folder) => folder !== '' && programs.every((program) => isExecutable(join(folder, program))));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function foldersIn(root: string): string[] {
  try {
    return readdirSync(root);
  } catch {
    return [];
  }
}

export type Running = {
  readonly child: ChildProcess;
  /** Resolves at exit code 0; otherwise rejects with the last lines that the program wrote to stderr. */
  readonly ended: Promise<void>;
};

/** Starts a program of PostgreSQL for a database. Its password is passed by the environment, where `ps` does not show it. */
export function start(program: string, args: readonly string[], databaseUrl: string): Running {
  const child = spawn(program, args, { env: environmentOf(databaseUrl), stdio: ['pipe', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-4096);
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', (cause) =>
      reject(new BackupError('program_missing', `${program} cannot be run: ${cause.message}`, { cause })),
    );
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(complaints.trim() || `${program} ended (${signal ?? `exit code ${code}`})`));
    });
  });
  ended.catch(() => undefined);
  return { child, ended };
}

/** The connection parameters of a URL as libpq's variables. */
export function environmentOf(databaseUrl: string): NodeJS.ProcessEnv {
  const url = new URL(databaseUrl);
  const passedOn = (parameter: string, variable: string): NodeJS.ProcessEnv => {
    const value = url.searchParams.get(parameter);
    return value === null ? {} : { [variable]: value };
  };
  return {
    LC_ALL: 'C.UTF-8',
    PGHOST: url.hostname,
    PGPORT: url.port || '5432',
    PGUSER: decodeURIComponent(url.username),
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: decodeURIComponent(url.pathname.slice(1)),
    PGCONNECT_TIMEOUT: '10',
    ...passedOn('sslmode', 'PGSSLMODE'),
    ...passedOn('sslrootcert', 'PGSSLROOTCERT'),
    ...passedOn('sslcert', 'PGSSLCERT'),
    ...passedOn('sslkey', 'PGSSLKEY'),
  };
}
