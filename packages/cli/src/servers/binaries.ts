import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findDebianFolder, findFolder } from '@overtone/backup/programs';
import type { SystemUser } from './process.ts';

const postgresFloor = 15;
// The folders of system daemons are not on every user's PATH.
const systemFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/bin', '/bin'];

/** The full name of a program, or `undefined` when it is not on this machine. */
export function findProgram(name: string): string | undefined {
  const folder = findFolder([name], [...(process.env['PATH'] ?? '').split(delimiter), ...systemFolders]);
  return folder && join(folder, name);
}

/** The folder of the newest supported PostgreSQL programs. */
export function findPostgresBin(): string | undefined {
  return findDebianFolder(['postgres', 'initdb'], postgresFloor);
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
