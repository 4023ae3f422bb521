import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Instance } from './instance.ts';
import { allProcesses, processesOf, type Living } from './processes.ts';

/** The services; each runs in its own process. */
export const services = [
  'edge-gateway',
  'identity',
  'directory-sync',
  'media',
  'transcription-dispatcher',
  'transcription-worker',
  'search-indexer',
  'operations',
  'insights',
  'realtime-gateway',
] as const;
/** The servers that the services depend on. */
export const servers = ['nats', 'postgres', 'redis'] as const;
export type Server = (typeof servers)[number];
export type Victim = (typeof services)[number] | Server;

/** The process of a service or server; of a server with child processes, the parent. */
export function processOf(instance: Instance, victim: Victim): Living | undefined {
  const found = processesOf(instance.data).filter(({ command }) => matches(victim, command));
  return found.find(({ parent }) => !found.some(({ pid }) => pid === parent));
}

/** The process id of a service or server that must be running. */
export function pidOf(instance: Instance, victim: Victim): number {
  const found = processOf(instance, victim);
  if (!found) throw new Error(`no process of ${victim}`);
  return found.pid;
}

/** The exit of each process of a service, from the supervisor's log. */
export async function endsOf(instance: Instance, name: string): Promise<string[]> {
  const text = await readFile(join(instance.data, 'logs', 'supervisor.log'), 'utf8');
  return [...text.matchAll(new RegExp(`${name} ended \\((.*?)\\)`, 'gm'))].map(([, exit]) => exit ?? '');
}

/** A process and all its descendants. */
export function treeOf(root: number): number[] {
  const all = allProcesses();
  const found = new Set([root]);
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Kills the process, if it is running. @returns whether it was. */
export function killNow(instance: Instance, victim: Victim): boolean {
  const found = processOf(instance, victim);
  if (found) signal(found.pid, 'SIGKILL');
  return found !== undefined;
}

/** Stops a process and its descendants with SIGSTOP, like an unresponsive machine. @returns a function that continues them. */
export function freeze(instance: Instance, victim: Victim): () => void {
  const root = processOf(instance, victim);
  if (!root) return () => {};
  // The parent first, so that it starts no new child processes.
  const tree = treeOf(root.pid);
  for (const pid of tree) signal(pid, 'SIGSTOP');
  return () => {
    for (const pid of tree) signal(pid, 'SIGCONT');
  };
}

/**
 * Lets processes run for a fifth of every `cycleMs`, like servers on an overloaded machine.
 * @returns a function that ends this.
 */
export function slowDown(pids: () => readonly number[], cycleMs: number): () => void {
  let stopped: readonly number[] = [];
  let timer: NodeJS.Timeout;
  const stop = (): void => {
    stopped = pids();
    for (const pid of stopped) signal(pid, 'SIGSTOP');
    timer = setTimeout(resume, cycleMs * 0.8);
  };
  const resume = (): void => {
    for (const pid of stopped) signal(pid, 'SIGCONT');
    timer = setTimeout(stop, cycleMs * 0.2);
  };
  stop();
  return () => {
    clearTimeout(timer);
    for (const pid of stopped) signal(pid, 'SIGCONT');
  };
}

function matches(victim: Victim, command: string): boolean {
  return isServer(victim)
    ? new RegExp(String.raw`^\S*\b${victim}(-server)?\b`).test(command)
    : command.includes(`/services/${victim}/src/main.ts`) && !command.startsWith('setpriv');
}

function isServer(victim: Victim): boolean {
  return (servers as readonly string[]).includes(victim);
}
