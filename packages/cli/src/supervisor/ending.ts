import { constants } from 'node:os';
import { readIfThere } from '../files.ts';

/** How a process exited. Both are null for an adopted process: only a parent learns the status. */
export type Exit = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
};

const crashSignals = new Set(['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGABRT', 'SIGTRAP']);
/** Exit code of a service after an uncaught exception (see the kit's `runService`). */
export const uncaughtException = 70;

/** `SIGKILL` or `exit code 1`. */
export function nameExit({ code, signal }: Exit): string {
  return signal ?? `exit code ${code ?? 'unknown'}`;
}

/** The exit that a shell reports as a number: 128 and the signal, or the code. */
export function exitOfShell(code: number): Exit {
  const signals = Object.entries(constants.signals) as [NodeJS.Signals, number][];
  const signal = signals.find(([, number]) => number === code - 128)?.[0];
  return signal === undefined ? { code, signal: null } : { code: null, signal };
}

/**
 * What an exit says about its cause.
 * @param oomKills processes that the kernel killed for lack of memory while this one ran; it may be one of them.
 */
export function explainExit({ code, signal }: Exit, oomKills?: number): string {
  if (signal === 'SIGKILL') {
    if (oomKills === undefined) return 'killed from outside, or by the kernel for lack of memory (see dmesg)';
    return oomKills > 0
      ? 'killed, probably by the kernel for lack of memory (see dmesg)'
      : 'killed from outside, not by the kernel for lack of memory';
  }
  if (signal !== null) return crashSignals.has(signal) ? 'crashed' : 'stopped from outside';
  if (code === 0) return 'stopped as requested';
  if (code === uncaughtException) return 'uncaught exception';
  return code === null ? 'it was started by an earlier supervisor' : 'failed';
}

/** Processes of this machine that the kernel has killed for lack of memory; undefined where it does not count them. */
export function countOomKills(file = '/proc/vmstat'): number | undefined {
  const count = /^oom_kill (\d+)$/m.exec(readIfThere(file) ?? '')?.[1];
  return count === undefined ? undefined : Number(count);
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** The two largest units of a duration: `2 h 13 min`, `0.2 s`. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const from = units.findIndex(([, size]) => ms >= size);
  let rest = ms;
  return units
    .slice(from, from + 2)
    .map(([unit, size]) => {
      const count = Math.floor(rest / size);
      rest -= count * size;
      return count === 0 ? '' : `${count} ${unit}`;
    })
    .filter((part) => part !== '')
    .join(' ');
}
