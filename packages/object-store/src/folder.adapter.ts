import { createReadStream, statfsSync, type Stats } from 'node:fs';
import { mkdir, open, readFile, rm, stat, statfs, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isAppError } from '@overtone/service-kit';
import { requireMarker } from '@overtone/service-kit/folder-marker';
import { outgoing } from './bodies.ts';
import { codeOf, fromFileSystem, invalidKey, notFound, storeFull, storeUnavailable } from './errors.ts';
import { createFileSink } from './file-sink.ts';
import {
  collisions,
  draftIn,
  etagOf,
  isMissing,
  publish,
  removeStaleDrafts,
  unlessMissing,
  walk,
} from './folder-files.ts';
import {
  checkKey,
  checkPrefix,
  defaultContentType,
  resolveRange,
  type ObjectBody,
  type ObjectInfo,
  type ObjectStore,
  type PutOptions,
} from './object-store.ts';

/** Number of bytes of one object that are written between two checks of the free space. */
const checkEveryBytes = 16 * 1024 * 1024;

export type FolderStoreOptions = {
  dir: string;
  /** This part of the disk stays free for the servers that share it: below that, writes are refused. */
  reserveBytes?: number | undefined;
  /** Without its marker the store is unavailable: nothing is written, and nothing is reported as missing. */
  requiresMarker?: boolean | undefined;
};
const defaultReserveBytes = 256 * 1024 * 1024;

type Folder = {
  dir: string;
  objects: string;
  types: string;
  tmp: string;
  reserveBytes: number;
  requiresMarker: boolean;
};

/**
 * Objects as files below `dir`: `objects/<key>` holds the bytes, `types/<key>` the content type, `tmp/` drafts. A draft
 * becomes an object by rename after fsync, so neither a reader nor a killed writer ever produces a partial object.
 */
export function createFolderStore(options: FolderStoreOptions): ObjectStore {
  const { dir, reserveBytes = defaultReserveBytes, requiresMarker = false } = options;
  const [objects, types, tmp] = [join(dir, 'objects'), join(dir, 'types'), join(dir, 'tmp')];
  const folder = { dir, objects, types, tmp, reserveBytes, requiresMarker };
  return {
    ...createReads(folder),
    put: createPut(folder),
    ...createRemovals(folder),
    ping: async () => {
      try {
        await requireStore(folder);
        await mkdir(tmp, { recursive: true });
        const probe = draftIn(tmp);
        await writeFile(probe, '');
        await rm(probe);
      } catch (error) {
        throw fromFileSystem(error);
      }
      requireSpace(folder);
    },
    space: () =>
      guarded(dir, async () => {
        await requireStore(folder);
        const { bavail, blocks, bsize } = await statfs(dir);
        return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, reserveBytes };
      }),
    close: () => undefined,
  };
}

function createReads(folder: Folder): Pick<ObjectStore, 'get' | 'head' | 'list'> {
  return {
    get: (key, { range, signal } = {}) =>
      guarded(key, async () => {
        const { bytes: totalBytes, contentType, etag } = await readInfo(folder, key);
        const { start, end } = resolveRange(range, totalBytes);
        const bytes = end - start + 1;
        const part = { start, end, highWaterMark: 256 * 1024, ...pick(signal) };
        const stream = bytes === 0 ? Readable.from([]) : createReadStream(fileOf(folder, key), part);
        return { stream: outgoing(stream), bytes, contentType, etag };
      }),
    head: (key) => guarded(key, () => readInfo(folder, key)),
    list: async function* (prefix) {
      await requireStore(folder);
      yield* walk(join(folder.objects, checkPrefix(prefix)), prefix);
    },
  };
}

function createPut(folder: Folder): ObjectStore['put'] {
  return (key, body, { contentType = defaultContentType, ...options } = {}) =>
    guarded(key, async () => {
      const see = seeEvery(checkEveryBytes, () => requireSpace(folder), options.see);
      const fill = (draft: string) => receive(body, draft, { ...options, see });
      const stats = await install(folder, { key, contentType, fill });
      return { bytes: stats.size, etag: etagOf(stats) };
    }).catch((error: unknown) => {
      // On a full disk Node reports a folder that could not be created as missing.
      throw isAppError(error) && error.code !== 'storage_unavailable' && isFull(folder) ? storeFull(error) : error;
    });
}

function createRemovals(folder: Folder): Pick<ObjectStore, 'delete' | 'deletePrefix' | 'removeLeftovers'> {
  const remove = async (key: string): Promise<boolean> => {
    const existed = await unlink(fileOf(folder, key)).then(() => true, unlessMissing(false));
    await rm(typeOf(folder, key), { force: true });
    return existed;
  };
  return {
    delete: (key) =>
      guarded(key, async () => {
        await requireStore(folder);
        await remove(key);
      }),
    deletePrefix: (prefix) =>
      guarded(prefix, async () => {
        await requireStore(folder);
        const objects = join(folder.objects, checkPrefix(prefix));
        let removed = 0;
        for await (const file of walk(objects, prefix)) if (await remove(file.key)) removed += 1;
        const all = { recursive: true, force: true, maxRetries: collisions, retryDelay: 10 };
        await rm(objects, all);
        await rm(join(folder.types, prefix), all);
        return removed;
      }),
    removeLeftovers: () =>
      guarded(folder.dir, async () => {
        await requireStore(folder);
        return await removeStaleDrafts(folder.tmp);
      }),
  };
}

function fileOf({ objects }: Folder, key: string): string {
  return join(objects, checkKey(key));
}

function typeOf({ types }: Folder, key: string): string {
  return join(types, checkKey(key));
}

function isFull({ dir, reserveBytes }: Folder): boolean {
  const { bavail, bsize } = statfsSync(dir);
  return bavail === 0 || bavail * bsize < reserveBytes;
}

function requireSpace(folder: Folder): void {
  if (isFull(folder)) throw storeFull();
}

/** @throws AppError unavailable when the folder lacks its marker. */
async function requireStore({ dir, requiresMarker }: Folder): Promise<void> {
  if (!requiresMarker) return;
  await requireMarker(dir).catch((cause: unknown) => {
    throw storeUnavailable(cause);
  });
}

async function readInfo(folder: Folder, key: string): Promise<ObjectInfo> {
  const stats = await stat(fileOf(folder, key)).catch(async (error: unknown) => {
    if (isMissing(error)) await requireStore(folder);
    throw error;
  });
  if (!stats.isFile()) throw notFound(key);
  const contentType = await readFile(typeOf(folder, key), 'utf8').catch(unlessMissing(defaultContentType));
  return { key, bytes: stats.size, contentType, etag: etagOf(stats), modifiedAt: stats.mtime };
}

async function writeType(folder: Folder, key: string, contentType: string): Promise<void> {
  const file = typeOf(folder, key);
  if (contentType === defaultContentType) return rm(file, { force: true });
  const draft = draftIn(folder.tmp);
  await writeFile(draft, contentType, { flush: true });
  await publish(draft, file);
}

/** `fill` has to leave the draft on the disk, not only in the page cache. */
async function install(
  folder: Folder,
  { key, contentType, fill }: { key: string; contentType: string; fill: (draft: string) => Promise<void> },
): Promise<Stats> {
  const target = fileOf(folder, key);
  const draft = draftIn(folder.tmp);
  try {
    await requireStore(folder);
    await mkdir(folder.tmp, { recursive: true });
    requireSpace(folder);
    await fill(draft);
    const stats = await stat(draft);
    await writeType(folder, key, contentType);
    await publish(draft, target);
    return stats;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
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
