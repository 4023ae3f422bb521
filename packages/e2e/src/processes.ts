import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** A running process, read from /proc. */
export type Living = { pid: number; parent: number; command: string };

/** True while the process runs; a zombie does not. */
export function isAlive(pid: number): boolean {
  return living(pid) !== undefined;
}

/** All living processes of the machine. */
export function allProcesses(): Living[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => living(Number(name)))
    .filter((living) => living !== undefined);
}

function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

/**
 * The processes of an instance: those that name its data folder or work in it, and their descendants.
 * The caller itself and its ancestors name it too and are left out.
 */
export function processesOf(dataFolder: string): Living[] {
  const all = allProcesses();
  const byPid = new Map(all.map((living) => [living.pid, living]));
  const mine = new Set<number>();
  for (let own = byPid.get(process.pid); own; own = byPid.get(own.parent)) mine.add(own.pid);
  const named = (living: Living): boolean =>
    living.command.includes(dataFolder) ||
    read(living.pid, 'environ').includes(dataFolder) ||
    workingFolder(living.pid).startsWith(dataFolder);
  const found = new Set(all.filter((living) => !mine.has(living.pid) && named(living)).map((living) => living.pid));
  for (let grown = true; grown;) {
    const before = found.size;
    for (const living of all) if (found.has(living.parent) && !mine.has(living.pid)) found.add(living.pid);
    grown = found.size > before;
  }
  return all.filter((living) => found.has(living.pid));
}

/** CPU seconds of processes and of their ended children. The unit of /proc is always 1/100 s. */
export function cpuSecondsOf(all: readonly Living[]): number {
  const ticks = all.flatMap(({ pid }) =>
    read(pid, 'stat')
      .replace(/^.*\) /, '')
      .split(' ')
      .slice(11, 15),
  );
  return ticks.reduce((sum, number) => sum + Number(number), 0) / 100;
}

/** Memory of a process in bytes: resident (RSS), proportional share (PSS) and peak. */
export function memoryOf(pid: number): { rss: number; pss: number; peak: number } {
  const kilobytes = (text: string, key: string): number =>
    Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
  const status = read(pid, 'status');
  const pss = kilobytes(read(pid, 'smaps_rollup'), 'Pss');
  return { rss: kilobytes(status, 'VmRSS') * 1024, pss: pss * 1024, peak: kilobytes(status, 'VmHWM') * 1024 };
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function living(pid: number): Living | undefined {
  const status = read(pid, 'status');
  const state = /^State:\s+(\S)/m.exec(status)?.[1];
  // `kill -0` would report a zombie as alive.
  if (!state || state === 'Z' || state === 'X') return undefined;
  const command = read(pid, 'cmdline').replaceAll('\0', ' ').trim();
  return { pid, parent: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0), command };
}
