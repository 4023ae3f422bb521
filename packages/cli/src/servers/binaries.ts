import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { SystemUser } from './process.ts';

const postgresFloor = 15;
const postgresRoot = '/usr/lib/postgresql';
// The folders of system daemons are not on every user's PATH.
const systemFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/bin', '/bin'];

/** The full name of a program, or `undefined` when it is not on this machine. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...systemFolders].filter((part) => part !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** The folder of the newest supported PostgreSQL programs. */
export function findPostgresBin(root = postgresRoot): string | undefined {
  return listFolders(root)
    .map(Number)
    .filter((version) => version >= postgresFloor)
    .sort((left, right) => right - left)
    .map((version) => join(root, String(version), 'bin'))
    .find((folder) => isExecutable(join(folder, 'postgres')) && isExecutable(join(folder, 'initdb')));
}

/** The account of PostgreSQL when the caller is root, because PostgreSQL refuses to run as root. */
export function unprivilegedUser(passwd = readFileSync('/etc/passwd', 'utf8')): SystemUser | undefined {
  const accounts = passwd.split('\n').map((line) => line.split(':'));
  const found = ['postgres', 'nobody']
    .map((name) => accounts.find((account) => account[0] === name))
    .find((account) => account !== undefined);
  return found === undefined ? undefined : { uid: Number(found[2]), gid: Number(found[3]) };
}

/** Like {@link findProgram}, for a program that is known to exist. */
export function requireProgram(name: string): string {
  const found = findProgram(name);
  if (found === undefined) throw new Error(`The program ${name} is not installed. Run: ./overtone doctor`);
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function listFolders(root: string): string[] {
  try {
    return readdirSync(root);
  } catch {
    return [];
  }
}
