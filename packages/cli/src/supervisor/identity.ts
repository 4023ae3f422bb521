import { readdirSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';

/** A process, distinguished by its start time from a later one with the same pid. */
export type ProcessIdentity = {
  readonly pid: number;
  /** Clock ticks since the machine started. */
  readonly started: number;
};

type ProcessEntry = {
  readonly parent: number;
  readonly session: number;
} & ProcessIdentity;

/** The kernel's data of a process; `undefined` for an exited process or a zombie. */
export function parseStat(pid: number, stat: string): ProcessEntry | undefined {
  // The name in parentheses may contain any characters, including parentheses and spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  if (state === undefined || state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(fields[1]), session: Number(fields[3]), started: Number(fields[19]) };
}

/** The identity of a running process. */
export function identify(pid: number): ProcessIdentity | undefined {
  const entry = look(pid);
  return entry === undefined ? undefined : { pid, started: entry.started };
}

/** The parent of a running process. */
export function parentOf(pid: number): number | undefined {
  return look(pid)?.parent;
}

/** Whether a process leads its session. */
export function leadsSession(pid: number): boolean {
  return look(pid)?.session === pid;
}

/** Whether exactly this process is running. */
export function isAlive({ pid, started }: ProcessIdentity): boolean {
  return look(pid)?.started === started;
}

/** Clock ticks of the kernel in a second (USER_HZ, fixed on Linux). */
const ticksPerSecond = 100;

/** Milliseconds since a process started. */
export function ageOf({ started }: ProcessIdentity): number {
  return Math.max(0, Math.round((uptime() - started / ticksPerSecond) * 1000));
}

/** The running processes of the session of a process, including detached descendants. */
export function sessionOf(leader: ProcessIdentity): ProcessIdentity[] {
  const holder = look(leader.pid);
  if (holder !== undefined && holder.started !== leader.started) return []; // the pid belongs to another process by now
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => look(Number(name)))
    .filter((entry) => entry !== undefined)
    .filter((entry) => entry.session === leader.pid && entry.started >= leader.started);
}

/** Tells one start of the machine from the next. */
export function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

function look(pid: number): ProcessEntry | undefined {
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}
