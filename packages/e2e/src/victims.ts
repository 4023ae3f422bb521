import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Instance } from './instance.ts';
import { allProcesses, processesOf, type Living } from './processes.ts';

/** The services, each a process of its own. */
export const services = [
  'edge-gateway',
  'identity',
  'directory-sync',
  'media',
  'transcription-dispatcher',
  'transcription-worker',
  'search-indexer',
  'realtime-gateway',
] as const;
/** The servers beside them. */
export const servers = ['nats', 'postgres', 'redis'] as const;
export type Server = (typeof servers)[number];
export type Victim = (typeof services)[number] | Server;

const isServer = (victim: Victim): boolean => (servers as readonly string[]).includes(victim);

const matches = (victim: Victim, command: string): boolean =>
  isServer(victim)
    ? new RegExp(String.raw`^\S*\b${victim}(-server)?\b`).test(command)
    : command.includes(`/services/${victim}/src/main.ts`) && !command.startsWith('setpriv');

/** The process of a service or server; of a server the one that no other of its kind has begotten. */
export const processOf = (instance: Instance, victim: Victim): Living | undefined => {
  const found = processesOf(instance.data).filter((p) => matches(victim, p.command));
  return found.find((p) => !found.some((q) => q.pid === p.parent));
};

/** The same, where it has to be there. */
export const pidOf = (instance: Instance, victim: Victim): number => {
  const found = processOf(instance, victim);
  if (!found) throw new Error(`no process of ${victim}`);
  return found.pid;
};

/** How each process of a service has ended, as the supervisor says. */
export const endsOf = async (instance: Instance, name: string): Promise<string[]> => {
  const text = await readFile(join(instance.data, 'logs', 'supervisor.log'), 'utf8');
  return [...text.matchAll(new RegExp(`${name} ended \\((.*)\\)$`, 'gm'))].map((m) => m[1] ?? '');
};

/** A process and all that it has begotten. */
export const treeOf = (root: number): number[] => {
  const all = allProcesses();
  const found = new Set([root]);
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const p of all) if (found.has(p.parent)) found.add(p.pid);
  }
  return [...found];
};

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code !== 'ESRCH') throw e;
  }
};

/** Kills at once, if there is anything to kill at this moment. */
export const killNow = (instance: Instance, victim: Victim): boolean => {
  const found = processOf(instance, victim);
  if (found) signal(found.pid, 'SIGKILL');
  return found !== undefined;
};

/** Stops the clock of a process and its children, as of a machine that hangs. @returns what sets it going again. */
export const freeze = (instance: Instance, victim: Victim): (() => void) => {
  const root = processOf(instance, victim);
  if (!root) return () => {};
  // The eldest first, so that it begets no more meanwhile.
  const tree = treeOf(root.pid);
  for (const pid of tree) signal(pid, 'SIGSTOP');
  return () => {
    for (const pid of tree) signal(pid, 'SIGCONT');
  };
};
