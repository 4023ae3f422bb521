import type { Stats } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { codeOf, fromFileSystem } from './errors.ts';
import { staleAfterMs, type ListedObject } from './object-store.ts';

/** How often a folder may disappear during a write, or be filled again during a removal, before the operation fails. */
export const collisions = 20;

/** The path of a new draft. Its name has the writer's host and process id, by which the cleanup recognises dead writers. */
export function draftIn(tmp: string): string {
  return join(tmp, `${hostname()}~${process.pid}~${randomUUID()}`);
}

/** Moves a file to its place, durably. */
export async function publish(from: string, to: string): Promise<void> {
  const folder = dirname(to);
  for (let left = collisions; ; left -= 1) {
    try {
      await mkdir(folder, { recursive: true });
      await rename(from, to);
      break;
    } catch (error) {
      if (!isMissing(error) || left === 0) throw error;
    }
  }
  // A concurrent removal deleted the object; the removal is the last operation.
  await syncFolder(folder).catch(unlessMissing(undefined));
}

// A rename is durable only after its folder is synced.
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}

/** A handler of rejections: the value for a missing file; other errors are passed on. */
export function unlessMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isMissing(error)) return value;
    throw error;
  };
}

/** The version of an object's content. */
export function etagOf(stats: Stats): string {
  return `${stats.size.toString(16)}-${Math.trunc(stats.mtimeMs * 1000).toString(16)}`;
}

/** The files below a folder in ascending order of their keys. */
export async function* walk(folder: string, prefix: string): AsyncIterable<ListedObject> {
  let entries;
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return;
    throw fromFileSystem(error);
  }
  // Folders sort with their trailing slash, so that the order is that of the whole keys.
  const named = entries.map((entry) => ({ entry, name: entry.isDirectory() ? `${entry.name}/` : entry.name }));
  named.sort((x, y) => (x.name < y.name ? -1 : 1));
  for (const { entry, name } of named) {
    if (entry.isDirectory()) {
      yield* walk(join(folder, entry.name), prefix + name);
      continue;
    }
    const stats = await stat(join(folder, name)).catch(() => undefined);
    if (stats) yield { key: prefix + name, bytes: stats.size, etag: etagOf(stats), modifiedAt: stats.mtime };
  }
}

/** Removes drafts of dead writers and, of other hosts, old ones. @returns their number. */
export async function removeStaleDrafts(tmp: string): Promise<number> {
  await mkdir(tmp, { recursive: true });
  let removed = 0;
  for (const name of await readdir(tmp)) {
    const [host, pid] = name.split('~');
    const stats = await stat(join(tmp, name)).catch(() => undefined);
    if (!stats) continue;
    const orphaned = host === hostname() && !isAlive(Number(pid));
    if (!orphaned && Date.now() - stats.mtimeMs < staleAfterMs) continue;
    await rm(join(tmp, name), { force: true });
    removed += 1;
  }
  return removed;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
