import { readIfThere } from '../files.ts';
import { copyFile, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';

const LIMIT_BYTES = 20 * 1024 * 1024;

/** Sets logs that have grown large aside, one generation of each. */
export async function rotateLogs(folder: string, limitBytes = LIMIT_BYTES): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.log')) continue;
    const file = join(folder, name);
    if ((await stat(file)).size <= limitBytes) continue;
    // Writers hold the file open for appending: it is emptied, not moved.
    // On a full disk there is no room for a copy; the old generation is given up and the log emptied all the same.
    await copyFile(file, `${file}.1`).catch(async () => await rm(`${file}.1`, { force: true }));
    await truncate(file);
  }
}

/** What a process that gave up most likely said about it: the last line of its log that speaks of an error. */
export function lastError(file: string): string {
  const lines = (readIfThere(file) ?? '').trimEnd().split('\n');
  const spoken = lines.findLast((line) => /^\s*(\w*Error\b|FATAL|\[FTL\]|Environment:)|"level":[56]0/.test(line));
  return (spoken ?? lines.at(-1) ?? 'it said nothing').trim();
}
