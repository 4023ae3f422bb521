import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { logLevels, mergeEntries, parseSince, readEntries, type LogEntry, type LogLevel } from './log-lines.ts';

const lookEveryMs = 250;

/** Options of `logs`. */
export type LogsOptions = {
  readonly data?: string;
  readonly service?: readonly string[];
  /** As `10m`, `2h`, or an ISO 8601 time. */
  readonly since?: string;
  readonly level?: LogLevel;
  readonly follow?: boolean;
  /** Entries that are printed before following; with `since`, all of them. */
  readonly lines: number;
};

type Shown = {
  readonly since: number;
  readonly levels: ReadonlySet<LogLevel>;
  readonly prefix: (name: string) => string;
};

/** Prints the logs of services and servers in one order of time, and follows them on request. */
export async function logs(service: string | undefined, options: LogsOptions): Promise<void> {
  const folder = dataFolder(options.data).logs;
  const names = namesIn(folder, service === undefined ? (options.service ?? []) : [service]);
  const shown = toShown(options, names);
  // A rotated log has one old generation, which matters only where a time is named.
  const readAll = (name: string) =>
    [...(options.since === undefined ? [] : [`${name}.log.1`]), `${name}.log`].map(
      (file) => readFrom(join(folder, file)).text,
    );
  const offsets = new Map(names.map((name) => [name, sizeOf(join(folder, `${name}.log`))]));
  const before = mergeEntries(names.map((name) => readEntries(name, readAll(name).join('')))).filter(isShown(shown));
  print(options.since === undefined ? before.slice(-options.lines) : before, shown);
  while (options.follow === true) {
    await sleep(lookEveryMs);
    const added = names.map((name) => {
      const { text, end } = readFrom(join(folder, `${name}.log`), offsets.get(name));
      offsets.set(name, end);
      return readEntries(name, text);
    });
    print(mergeEntries(added).filter(isShown({ ...shown, since: 0 })), shown);
  }
}

/** The names of the wanted logs, of all when none is wanted. */
function namesIn(folder: string, wanted: readonly string[]): string[] {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.log')) : [];
  const names = files.map((name) => name.slice(0, -'.log'.length)).sort();
  if (names.length === 0) throw new Refusal(`There are no logs in ${folder}.`);
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Refusal(`There is no log of ${unknown}; there are: ${names.join(', ')}.`);
  return wanted.length === 0 ? names : names.filter((name) => wanted.includes(name));
}

function toShown({ since, level = 'trace' }: LogsOptions, names: readonly string[]): Shown {
  const from = since === undefined ? 0 : parseSince(since, Date.now());
  if (from === undefined)
    throw new Refusal(`--since is a number with s, m, h or d, or a time as 2026-11-28T03:00:00Z.`);
  const levels = new Set(logLevels.slice(logLevels.indexOf(level)));
  const width = Math.max(...names.map((name) => name.length));
  return { since: from, levels, prefix: (name) => (names.length === 1 ? '' : `${name.padEnd(width)} | `) };
}

function isShown({ since, levels }: Shown): (entry: LogEntry) => boolean {
  return ({ time, level }) => time >= since && levels.has(level);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** The whole lines of a file from an offset on, and the offset after them. */
function readFrom(file: string, from = 0): { text: string; end: number } {
  const size = sizeOf(file);
  const start = size < from ? 0 : from; // the file was rotated and starts from the beginning
  if (size === start) return { text: '', end: start };
  const handle = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(fstatSync(handle).size - start);
    const length = readSync(handle, buffer, 0, buffer.length, start);
    const whole = buffer.subarray(0, length).lastIndexOf(0x0a) + 1; // the rest is read with its end
    return { text: buffer.subarray(0, whole).toString('utf8'), end: start + whole };
  } finally {
    closeSync(handle);
  }
}

function print(entries: readonly LogEntry[], { prefix }: Shown): void {
  const lines = entries.flatMap((entry) => entry.lines.map((line) => prefix(entry.name) + line));
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
}
