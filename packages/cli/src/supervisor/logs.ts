import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { copyFile, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere } from '../files.ts';

const defaultLimitBytes = 20 * 1024 * 1024;

/** Rotates large logs, with one old generation of each. */
export async function rotateLogs(folder: string, limitBytes = defaultLimitBytes): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.log')) continue;
    const file = join(folder, name);
    if ((await stat(file)).size <= limitBytes) continue;
    // The file is truncated instead of moved, because writers keep it open for appending.
    // On a full disk the copy fails; then the old generation is removed and the log truncated without a copy.
    await copyFile(file, `${file}.1`).catch(async () => await rm(`${file}.1`, { force: true }));
    await truncate(file);
  }
}

const tailBytes = 16 * 1024;
const maxLineLength = 400;

/** The last lines of a log, shortened. Reads only its end: logs are larger than the supervisor's memory allows. */
export function tailOf(file: string, count: number): string[] {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch {
    return [];
  }
  try {
    const { size } = fstatSync(handle);
    const buffer = Buffer.alloc(Math.min(size, tailBytes));
    readSync(handle, buffer, 0, buffer.length, size - buffer.length);
    const lines = buffer.toString('utf8').split('\n');
    const whole = size > buffer.length ? lines.slice(1) : lines;
    return whole
      .filter((line) => line.trim() !== '')
      .slice(-count)
      .map((line) => (line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line));
  } finally {
    closeSync(handle);
  }
}

/** The most likely reason of a failure: the last line of the log that reports an error. */
export function lastError(file: string): string {
  const lines = (readIfThere(file) ?? '').trimEnd().split('\n');
  const spoken = lines.findLast((line) => /^\s*(\w*Error\b|FATAL|\[FTL\]|Environment:)|"level":[56]0/.test(line));
  return (spoken ?? lines.at(-1) ?? 'it said nothing').trim();
}
