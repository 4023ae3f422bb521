import { randomUUID } from 'node:crypto';
import { createReadStream, statfsSync, type Stats } from 'node:fs';
import {
  copyFile,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  statfs,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isAppError } from '@overtone/service-kit';
import { outgoing } from './bodies.ts';
import { codeOf, fromFileSystem, invalidKey, notFound, storeFull } from './errors.ts';
import { createFileSink } from './file-sink.ts';
import { checkKey, checkPrefix } from './keys.ts';
import type { ListedObject, ObjectBody, ObjectInfo, ObjectStore, PutOptions } from './object-store.ts';
import { resolveRange } from './ranges.ts';

const defaultType = 'application/octet-stream';
const staleAfterMs = 24 * 3600 * 1000;
/** Number of bytes of one object that are written between two checks of the free space. */
const checkEveryBytes = 16 * 1024 * 1024;
/** How often a folder may disappear during a write, or be filled again during a removal, before the operation fails. */
const collisions = 20;

/** `reserveBytes` of the disk stay free for the servers that share it: below that, writes are refused. */
export type FolderStoreOptions = { dir: string; reserveBytes?: number | undefined };
const defaultReserveBytes = 256 * 1024 * 1024;

/**
 * Objects as files below `dir`: `objects/<key>` holds the bytes, `types/<key>` the content type, `tmp/` drafts. A draft
 * becomes an object by rename after fsync, so neither a reader nor a killed writer ever produces a partial object.
 */
export function createFolderStore({ dir, reserveBytes = defaultReserveBytes }: FolderStoreOptions): ObjectStore {
  const objects = join(dir, 'objects');
  const types = join(dir, 'types');
  const tmp = join(dir, 'tmp');
  const fileOf = (key: string): string => join(objects, checkKey(key));
  const typeOf = (key: string): string => join(types, checkKey(key));
  // The name contains the writer's host and process id, so that the cleanup recognises drafts of dead writers.
  const temporary = (): string => join(tmp, `${hostname()}~${process.pid}~${randomUUID()}`);

  const isFull = (): boolean => {
    const { bavail, bsize } = statfsSync(dir);
    return bavail === 0 || bavail * bsize < reserveBytes;
  };
  const requireSpace = (): void => {
    if (isFull()) throw storeFull();
  };
  // On a full disk Node reports a folder that could not be created as missing.
  const guardedWrite = <T>(key: string, work: () => Promise<T>): Promise<T> =>
    guarded(key, work).catch((error: unknown) => {
      throw isAppError(error) && isFull() ? storeFull(error) : error;
    });

  const publish = async (from: string, to: string): Promise<void> => {
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
    await syncFolder(folder).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  };

  const writeType = async (key: string, contentType: string): Promise<void> => {
    const file = typeOf(key);
    if (contentType === defaultType) return rm(file, { force: true });
    const draft = temporary();
    await writeFile(draft, contentType, { flush: true });
    await publish(draft, file);
  };

  const readType = async (key: string): Promise<string> => {
    try {
      return await readFile(typeOf(key), 'utf8');
    } catch (error) {
      if (isMissing(error)) return defaultType;
      throw error;
    }
  };

  const info = async (key: string): Promise<ObjectInfo> => {
    const stats = await stat(fileOf(key));
    if (!stats.isFile()) throw notFound(key);
    return {
      key,
      bytes: stats.size,
      contentType: await readType(key),
      etag: etagOf(stats),
      modifiedAt: stats.mtime,
    };
  };

  /** `fill` has to leave the draft on the disk, not only in the page cache. */
  const install = async (key: string, fill: (draft: string) => Promise<void>, contentType: string): Promise<Stats> => {
    const target = fileOf(key);
    const draft = temporary();
    try {
      await mkdir(tmp, { recursive: true });
      requireSpace();
      await fill(draft);
      const stats = await stat(draft);
      await writeType(key, contentType);
      await publish(draft, target);
      return stats;
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  };

  const remove = async (key: string): Promise<boolean> => {
    const existed = await unlink(fileOf(key)).then(
      () => true,
      (error: unknown) => {
        if (isMissing(error)) return false;
        throw error;
      },
    );
    await rm(typeOf(key), { force: true });
    return existed;
  };

  return {
    put: (key, body, options = {}) =>
      guardedWrite(key, async () => {
        const see = seeEvery(checkEveryBytes, requireSpace, options.see);
        const stats = await install(
          key,
          (draft) => receive(body, draft, { ...options, see }),
          options.contentType ?? defaultType,
        );
        return { bytes: stats.size, etag: etagOf(stats) };
      }),
    get: (key, options = {}) =>
      guarded(key, async () => {
        const object = await info(key);
        const { start, end } = resolveRange(options.range, object.bytes);
        const bytes = end - start + 1;
        const stream =
          bytes === 0
            ? Readable.from([])
            : createReadStream(fileOf(key), { start, end, highWaterMark: 256 * 1024, ...pick(options.signal) });
        const { contentType, etag } = object;
        return { stream: outgoing(stream), bytes, totalBytes: object.bytes, start, contentType, etag };
      }),
    head: (key) => guarded(key, () => info(key)),
    exists: (key) =>
      guarded(key, async () => {
        const stats = await stat(fileOf(key)).catch((error: unknown) => {
          if (isMissing(error)) return undefined;
          throw error;
        });
        return stats?.isFile() ?? false;
      }),
    copy: (from, to) =>
      guardedWrite(from, async () => {
        const source = await info(from);
        const copy = async (draft: string): Promise<void> => {
          await copyFile(fileOf(from), draft);
          await syncFile(draft);
        };
        await install(to, copy, source.contentType);
      }),
    rename: (from, to) =>
      guarded(from, async () => {
        const source = await info(from);
        await writeType(to, source.contentType);
        await publish(fileOf(from), fileOf(to));
        if (from !== to) await rm(typeOf(from), { force: true });
      }),
    delete: (key) =>
      guarded(key, async () => {
        await remove(key);
      }),
    deletePrefix: (prefix) =>
      guarded(prefix, async () => {
        const folder = join(objects, checkPrefix(prefix));
        let removed = 0;
        for await (const file of walk(folder, prefix)) if (await remove(file.key)) removed += 1;
        const all = { recursive: true, force: true, maxRetries: collisions, retryDelay: 10 };
        await rm(folder, all);
        await rm(join(types, prefix), all);
        return removed;
      }),
    list: (prefix) => walk(join(objects, checkPrefix(prefix)), prefix),
    removeLeftovers: () => guarded(dir, () => removeStaleTemporary(tmp)),
    ping: async () => {
      try {
        await mkdir(tmp, { recursive: true });
        const probe = temporary();
        await writeFile(probe, '');
        await rm(probe);
      } catch (error) {
        throw fromFileSystem(error);
      }
      requireSpace();
    },
    space: () =>
      guarded(dir, async () => {
        const { bavail, blocks, bsize } = await statfs(dir);
        return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, reserveBytes };
      }),
    close: () => undefined,
  };
}

function pick(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal ? { signal } : {};
}

/** Passes every chunk to `see`, and calls `check` after every so many bytes. */
function seeEvery(bytes: number, check: () => void, see: PutOptions['see']): (chunk: Uint8Array) => void {
  let passed = 0;
  return (chunk) => {
    see?.(chunk);
    passed += chunk.length;
    if (passed < bytes) return;
    passed = 0;
    check();
  };
}

/** The sender's error is passed on unchanged; errors of the disk are translated. */
async function receive(body: ObjectBody, draft: string, { signal, see }: PutOptions): Promise<void> {
  const file = await open(draft, 'wx');
  const sink = createFileSink(file, see);
  try {
    await pipeline(typeof body === 'string' || body instanceof Uint8Array ? [body] : body, sink.stream, pick(signal));
  } catch (error) {
    signal?.throwIfAborted();
    throw sink.failure() ? error : new SenderFailed(error);
  } finally {
    await file.close();
  }
}

class SenderFailed extends Error {
  constructor(cause: unknown) {
    super('the sender failed', { cause });
  }
}

function etagOf(stats: Stats): string {
  return `${stats.size.toString(16)}-${Math.trunc(stats.mtimeMs * 1000).toString(16)}`;
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}

async function guarded<T>(key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SenderFailed) throw error.cause;
    if (isMissing(error)) throw notFound(key, error);
    if (['EISDIR', 'EEXIST', 'ENOTEMPTY'].includes(codeOf(error))) throw invalidKey(error);
    throw fromFileSystem(error);
  }
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
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

async function* walk(folder: string, prefix: string): AsyncIterable<ListedObject> {
  let entries;
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return;
    throw fromFileSystem(error);
  }
  // Folders sort with their trailing slash, so that the order is that of the whole keys.
  const named = entries.map((entry) => ({ entry, name: entry.isDirectory() ? `${entry.name}/` : entry.name }));
  named.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { entry, name } of named) {
    if (entry.isDirectory()) {
      yield* walk(join(folder, entry.name), prefix + name);
      continue;
    }
    const stats = await stat(join(folder, name)).catch(() => undefined);
    if (stats) yield { key: prefix + name, bytes: stats.size, modifiedAt: stats.mtime };
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

async function removeStaleTemporary(tmp: string): Promise<number> {
  await mkdir(tmp, { recursive: true });
  let swept = 0;
  for (const name of await readdir(tmp)) {
    const [host, pid] = name.split('~');
    const stats = await stat(join(tmp, name)).catch(() => undefined);
    if (!stats) continue;
    const orphaned = host === hostname() && !isAlive(Number(pid));
    if (!orphaned && Date.now() - stats.mtimeMs < staleAfterMs) continue;
    await rm(join(tmp, name), { force: true });
    swept += 1;
  }
  return swept;
}
