import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** The text of a file, or `undefined` when there is none. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces a file atomically. By default only its owner can read it. */
export function replaceFile(file: string, text: string, mode = 0o600): void {
  const next = `${file}.${process.pid}.new`;
  try {
    writeFileSync(next, text, { mode, flush: true });
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}
