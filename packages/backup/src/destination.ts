import { constants, createReadStream, createWriteStream, existsSync } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ObjectStore } from '@overtone/object-store';
import { BackupError } from './errors.ts';

/** How to reach a bucket; `prefix` without slashes at its ends, may be empty. */
export type S3Destination = {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
};
export type DestinationOptions = { readonly folder: string } | { readonly s3: S3Destination };

/** Where backups are kept. A file appears completely or not at all. Failures are `BackupError`s. */
export type Destination = {
  /** For people: the folder, or `s3://bucket/prefix`. */
  readonly place: string;
  put(name: string, body: Readable | string): Promise<void>;
  /** @throws BackupError backup_missing. */
  get(name: string): Promise<Readable>;
  list(): Promise<{ name: string; bytes: number }[]>;
  delete(name: string): Promise<void>;
  /** Null where it is unknown, as in a bucket. */
  freeBytes(): Promise<number | null>;
  /** Writes, reads and deletes a small file. */
  check(): Promise<void>;
  /** Whether it can be reached; writes nothing. */
  probe(): Promise<void>;
  close(): void;
};

const partial = '.partial';
const ourDraft = /-\d{8}T\d{6}Z-[0-9a-f]{6}\.[a-z.]+\.partial$/;
/** Unfinished files of this age belong to no running backup. */
const staleAfterMs = 24 * 3_600_000;

export function openDestination(options: DestinationOptions): Destination {
  const destination = 'folder' in options ? createFolder(options.folder) : createBucket(options.s3);
  return {
    ...destination,
    get: async (name) => guardStream(destination.place, name, await destination.get(name)),
    check: async () => {
      const name = `check-${process.pid}-${Date.now()}`;
      await destination.put(name, name);
      await readText(destination, name);
      await destination.delete(name);
    },
  };
}

/** The text of a small file. */
export async function readText(destination: Pick<Destination, 'get'>, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await destination.get(name)) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
}

function createFolder(folder: string): Omit<Destination, 'check'> {
  return {
    place: folder,
    put: async (name, body) => await guarded(folder, async () => await writeFileAtomically(join(folder, name), body)),
    get: async (name) =>
      await guarded(
        folder,
        async () => {
          await access(join(folder, name));
          // An error before the stream is read is not lost: the reader gets it from the destroyed stream.
          return createReadStream(join(folder, name), { highWaterMark: 1024 * 1024 }).on('error', () => undefined);
        },
        name,
      ),
    list: async () =>
      await guarded(folder, async () => {
        const files = [];
        for (const name of await readdir(folder)) {
          const stats = await stat(join(folder, name)).catch(() => undefined);
          if (stats?.isFile() && !name.endsWith(partial)) files.push({ name, bytes: stats.size });
        }
        return files;
      }),
    delete: async (name) => await guarded(folder, async () => await rm(join(folder, name), { force: true })),
    freeBytes: async () =>
      await guarded(folder, async () => {
        const { bavail, bsize } = await statfs(folder);
        return bavail * bsize;
      }),
    probe: async () => await probeFolder(folder),
    close: () => undefined,
  };
}

/** @throws BackupError destination_unavailable unless this is a folder that can be read and written. */
export async function probeFolder(folder: string): Promise<void> {
  try {
    await readdir(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'is not there.' : `cannot be used: ${message}`;
    throw new BackupError('destination_unavailable', `${folder} ${reason}`, { cause });
  }
}

/**
 * Creates a folder and those above it. Node's own recursive creation never ends where the file system reports a folder that
 * it cannot create as missing, as /proc does.
 */
export async function makeFolder(folder: string): Promise<void> {
  const create = async () => await mkdir(folder, { mode: 0o700 });
  await create().catch(async (error: unknown) => {
    const { code } = error as { code?: string };
    if (code === 'EEXIST') return;
    const parent = dirname(folder);
    if (code !== 'ENOENT') throw error;
    if (existsSync(parent))
      throw new BackupError('destination_unavailable', `${folder} cannot be created.`, { cause: error });
    await makeFolder(parent);
    await create();
  });
}

/** Runs `work` and removes the folders that it created above or directly in `folder`, unless they contain files. */
export async function withoutNewFolders<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const namesIn = async (path: string) => await readdir(path).catch(() => undefined);
  const before = await namesIn(folder);
  const missing = before ? null : await firstMissing(folder);
  try {
    return await work();
  } finally {
    const added = ((await namesIn(folder)) ?? []).filter((name) => before && !before.includes(name));
    for (const path of missing === null ? added.map((name) => join(folder, name)) : [missing])
      await removeEmptyFolders(path);
  }
}

/** The disk on which a folder that does not exist would be created; null: it exists. */
export async function newFolderDisk(folder: string): Promise<'system_disk' | 'other_disk' | null> {
  const missing = await firstMissing(folder);
  if (missing === null) return null;
  const [parent, root] = await Promise.all([stat(dirname(missing)), stat('/')]);
  return parent.dev === root.dev ? 'system_disk' : 'other_disk';
}

/** The highest folder of a path that does not exist; null: all exist. */
async function firstMissing(path: string): Promise<string | null> {
  if (await isThere(path)) return null;
  const parent = dirname(path);
  return parent === path ? path : ((await firstMissing(parent)) ?? path);
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

async function removeEmptyFolders(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeEmptyFolders(join(path, entry.name));
  // What contains files, or is no folder, stays.
  await rmdir(path).catch(() => undefined);
}

async function writeFileAtomically(file: string, body: Readable | string): Promise<void> {
  await makeFolder(dirname(file));
  await removeStale(dirname(file));
  const draft = `${file}${partial}`;
  try {
    const sink = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true, highWaterMark: 1024 * 1024 });
    await pipeline(typeof body === 'string' ? [body] : body, sink);
    await rename(draft, file);
    // A rename is durable only after its folder is synced.
    const folder = await open(dirname(file), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!ourDraft.test(name)) continue;
    const stats = await stat(join(folder, name)).catch(() => undefined);
    if (stats && Date.now() - stats.mtimeMs > staleAfterMs) await rm(join(folder, name), { force: true });
  }
}

function createBucket({ endpoint, region, bucket, prefix, accessKeyId, secretAccessKey }: S3Destination) {
  let opened: Promise<ObjectStore> | undefined;
  // Loaded only when a bucket is used: it takes a hundred megabytes of memory.
  const store = async (): Promise<ObjectStore> =>
    await (opened ??= import('@overtone/object-store').then(({ createObjectStore }) =>
      createObjectStore({
        S3_ENDPOINT: endpoint,
        S3_REGION: region,
        S3_BUCKET: bucket,
        S3_ACCESS_KEY_ID: accessKeyId,
        S3_SECRET_ACCESS_KEY: secretAccessKey,
      }),
    ));
  // Listings need a folder.
  const folder = prefix === '' ? 'overtone/' : `${prefix}/`;
  const place = `s3://${bucket}/${folder.slice(0, -1)}`;
  return {
    place,
    put: async (name: string, body: Readable | string) =>
      await guarded(place, async () => void (await (await store()).put(`${folder}${name}`, body))),
    get: async (name: string) =>
      await guarded(place, async () => (await (await store()).get(`${folder}${name}`)).stream, name),
    list: async () =>
      await guarded(place, async () => {
        const files: { name: string; bytes: number }[] = [];
        for await (const { key, bytes } of (await store()).list(folder))
          files.push({ name: key.slice(folder.length), bytes });
        return files;
      }),
    delete: async (name: string) => await guarded(place, async () => await (await store()).delete(`${folder}${name}`)),
    freeBytes: async () => await Promise.resolve(null),
    probe: async () =>
      await guarded(place, async () => {
        // The first page of the listing is enough.
        for await (const object of (await store()).list(folder)) if (object) break;
      }),
    close: () => void opened?.then((bucketStore) => bucketStore.close()),
  };
}

/** A file whose read errors are `BackupError`s, too. */
function guardStream(place: string, name: string, stream: Readable): Readable {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of stream) yield chunk as Uint8Array;
    } catch (cause) {
      throw failureOf(place, cause, name);
    }
  }
  const guardedStream = Readable.from(chunks(), { objectMode: false, highWaterMark: 1024 * 1024 });
  // A generator that was not begun does not close its stream.
  return guardedStream.on('error', () => undefined).once('close', () => stream.destroy());
}

async function guarded<T>(place: string, work: () => Promise<T>, name?: string): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw failureOf(place, cause, name);
  }
}

function failureOf(place: string, cause: unknown, name?: string): BackupError {
  if (cause instanceof BackupError) return cause;
  const code = (cause as { code?: string }).code ?? '';
  if (code === 'ENOENT' || code === 'not_found')
    return new BackupError('backup_missing', `${name ?? 'The backup'} is not in ${place}.`, { cause });
  if (['ENOSPC', 'EDQUOT', 'EFBIG', 'storage_full'].includes(code))
    return new BackupError('destination_full', `There is no space left in ${place}.`, { cause });
  return new BackupError('destination_unavailable', `${place} cannot be used: ${(cause as Error).message}`, { cause });
}
