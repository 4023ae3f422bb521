import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readIfThere, replaceFile } from '../files.ts';

// Generated files, test files and documentation.
const leftOut = /^(node_modules|dist|generated|dev|\.cache)$|\.tsbuildinfo$|\.test\.tsx?$|\.md$/;

/** One hash over the names and contents of files and folders. */
export function hashOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  const add = (path: string) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return;
    if (found.isDirectory()) {
      const names = readdirSync(path).filter((name) => !leftOut.test(name));
      for (const name of names.sort()) add(join(path, name));
      return;
    }
    hash.update(path).update('\0').update(readFileSync(path)).update('\0');
  };
  for (const path of paths) add(path);
  return hash.digest('hex');
}

/** Whether the work of this stamp was done with these inputs. */
export function isStamped(stamp: string, hash: string): boolean {
  return readIfThere(stamp)?.trim() === hash;
}

/** Records that the work was done with these inputs. */
export function putStamp(stamp: string, hash: string): void {
  mkdirSync(dirname(stamp), { recursive: true });
  replaceFile(stamp, `${hash}\n`, 0o644); // another account may start this instance
}
