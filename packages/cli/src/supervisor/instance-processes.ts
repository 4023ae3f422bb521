import { readdirSync, readFileSync } from 'node:fs';
import { identify, leadsSession, parentOf, type ProcessIdentity } from './identity.ts';

const markVariable = 'OVERTONE_PROCESS';
/** The shell that restarts a detached supervisor. */
export const guardianName = 'guardian';

/** Marks a process of an instance, so that it can be found without a record. */
export function processMark(root: string, name: string): Record<string, string> {
  return { [markVariable]: `${root}:${name}` };
}

/** A running process of an instance. */
export type InstanceProcess = {
  readonly name: string;
} & ProcessIdentity;

/** The marked processes of an instance that lead a session and are not children of another one. */
export function instanceProcesses(root: string): InstanceProcess[] {
  const found = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => marked(Number(entry), `${markVariable}=${root}:`));
  const members = new Set(found.map(({ pid }) => pid));
  return found.filter(({ pid }) => !members.has(parentOf(pid) ?? 0));
}

function marked(pid: number, prefix: string): InstanceProcess[] {
  const mark = environmentOf(pid).find((entry) => entry.startsWith(prefix));
  const identity = mark === undefined ? undefined : identify(pid);
  if (mark === undefined || identity === undefined) return [];
  return leadsSession(pid) ? [{ ...identity, name: mark.slice(prefix.length) }] : [];
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
