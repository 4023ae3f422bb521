import { readIfThere } from '../files.ts';
import { copyFile, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';

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

/** The most likely reason of a failure: the last line of the log that reports an error. */
export function lastError(file: string): string {
  const lines = (readIfThere(file) ?? '').trimEnd().split('\n');
  const spoken = lines.findLast((line) => /^\s*(\w*Error\b|FATAL|\[FTL\]|Environment:)|"level":[56]0/.test(line));
  return (spoken ?? lines.at(-1) ?? 'it said nothing').trim();
}
