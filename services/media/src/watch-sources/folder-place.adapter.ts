import { constants, createReadStream, lstat, type BigIntStats, type Dirent } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, readlink, realpath, stat, unlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { basename, dirname, extname, isAbsolute, join, relative, sep } from 'node:path';
import { folderMarker, isMarked, markFolder, requireMarker } from '@overtone/service-kit/folder-marker';
import { createFolderEvents } from './folder-events.ts';
import { EntryChanged, maxFiles, SourceUnavailable, systemCode, type Place } from './place.ts';
import type { Entry } from './watch-sources.ts';

type FolderOptions = {
  path: string;
  moveTo: string;
  /** Folders below these may be used. */
  roots: readonly string[];
  pollingOnly: boolean;
  onChange: () => void;
};
type Visited = { entries: Entry[]; folders: string[]; root: string; statsAtOnce: number };

const refusals = {
  linkOut: 'The link leads out of the folders that may be watched.',
  linkToFolder: 'Links to folders are not followed.',
  linkBroken: 'The link leads nowhere.',
  special: 'This is not a regular file.',
  name: 'The file name is not UTF-8.',
  tooDeep: 'The folder is nested too deeply: its files are not imported.',
  unreadable: 'The folder cannot be read: permission denied.',
};

/** The files of a local folder. */
export function createFolderPlace({ path, moveTo, roots, pollingOnly, onChange }: FolderOptions): Place {
  const events = pollingOnly ? undefined : createFolderEvents(onChange);
  const rootOf = async (): Promise<string> => {
    try {
      const { resolved } = await checkFolder(path, roots);
      return resolved;
    } catch (error) {
      throw unavailable(path, error);
    }
  };
  return {
    list: async (signal) => {
      const root = await rootOf();
      const skipped = moveTo === '' ? null : await realpath(moveTo).catch(() => null);
      const listing: Visited = { entries: [], folders: [], root, statsAtOnce: pollingOnly ? networkStats : localStats };
      try {
        await listFolder(listing, { folder: root, below: '', skipped, signal, depth: 0 });
        const { dev, ino } = await stat(root, { bigint: true });
        events?.follow(listing.folders);
        const isOnSystemDisk = dev === (await stat('/', { bigint: true })).dev;
        return { entries: listing.entries, identity: `${dev}:${ino}`, isOnSystemDisk };
      } catch (error) {
        throw unavailable(path, error);
      }
    },
    open: async (entry, signal) => {
      const root = await rootOf();
      const full = join(root, entry.path);
      // Not blocked by a pipe that replaced the file.
      const handle = await open(full, constants.O_RDONLY | constants.O_NONBLOCK).catch(changedIfMissing);
      const isSame = async (): Promise<boolean> => versionOf(await handle.stat({ bigint: true })) === entry.version;
      try {
        // A folder above may have been replaced by a link since it was listed: the open file counts.
        const opened = await readlink(`/proc/self/fd/${handle.fd}`);
        const allowed = await resolveRoots(roots);
        if (!isWithin(opened, allowed) || !(await isSame())) throw new EntryChanged('not the listed file');
      } catch (error) {
        await handle.close();
        throw error;
      }
      const body = createReadStream(full, { fd: handle, autoClose: false, signal, highWaterMark: 256 * 1024 });
      // Its reader gets the error; without a listener one after the last read would end the process.
      body.on('error', () => {});
      return {
        body,
        isUnchanged: async () => (await isSame()) && (await isListed(full, entry)),
        close: async () => {
          body.destroy();
          // A file system that hangs does not close the file either.
          await Promise.race([handle.close().catch(() => undefined), sleep(closeWithinMs, undefined, { ref: false })]);
        },
      };
    },
    finish: async (entry, after) => {
      const full = join(await rootOf(), entry.path);
      if (!(await isListed(full, entry))) throw new EntryChanged('changed since its import');
      if (after === 'move') await placeCopy(full, await targetOf(entry.path, { moveTo, roots }));
      await unlink(full);
    },
    hasEvents: () => events?.areComplete() ?? false,
    close: () => events?.close(),
  };
}

/** @returns the folder without links. @throws SourceUnavailable for one that is not below the allowed folders. */
export async function checkFolder(path: string, roots: readonly string[]): Promise<{ resolved: string }> {
  if (roots.length === 0)
    throw new SourceUnavailable(
      'folder_refused',
      'No folder may be watched yet. Set WATCH_ROOTS where Overtone is started, to the folders that may be watched, and restart it.',
    );
  if (!isAbsolute(path)) throw new SourceUnavailable('folder_refused', 'The folder must begin with a slash.');
  if (
    !isWithin(
      join(path),
      roots.map((root) => join(root)),
    )
  )
    throw new SourceUnavailable(
      'folder_refused',
      `The folder must be below ${roots.join(' or ')}. To watch another one, add it to WATCH_ROOTS where Overtone is started, and restart it.`,
    );
  const resolved = await realpath(path).catch((error: unknown) => {
    throw unavailable(path, error);
  });
  if (!isWithin(resolved, await resolveRoots(roots)))
    throw new SourceUnavailable('folder_refused', `The folder is a link that leads out of ${roots.join(' and ')}.`);
  if (!(await stat(resolved)).isDirectory()) throw new SourceUnavailable('folder_missing', `${path} is not a folder.`);
  return { resolved };
}

async function resolveRoots(roots: readonly string[]): Promise<string[]> {
  const resolved = await Promise.all(roots.map((root) => realpath(root).catch(() => null)));
  return resolved.filter((root) => root !== null);
}

function isWithin(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const below = relative(root, path);
    return below === '' || (below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below));
  });
}

type FolderVisit = { folder: string; below: string; skipped: string | null; signal: AbortSignal; depth: number };
const maxDepth = 64;
/**
 * Calls of the file system at once. Many cost less than one after the other; a network file system that hangs would block
 * as many threads, of which the process has four.
 */
const localStats = 32;
const networkStats = 2;
const closeWithinMs = 5_000;

async function listFolder(listing: Visited, { folder, below, skipped, signal, depth }: FolderVisit): Promise<void> {
  signal.throwIfAborted();
  let items: Dirent[];
  try {
    items = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (depth === 0) throw error;
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return;
    if (systemCode(error) !== 'EACCES' && systemCode(error) !== 'EPERM') throw error;
    listing.entries.push(refused(below.slice(0, -1), refusals.unreadable));
    return;
  }
  listing.folders.push(folder);
  const files: { full: string; path: string }[] = [];
  for (const item of items) {
    if (item.name === folderMarker) continue;
    const full = join(folder, item.name);
    const path = below + item.name;
    if (item.name.includes('\uFFFD')) listing.entries.push(refused(path, refusals.name));
    else if (item.isDirectory()) {
      if (full === skipped || item.name.startsWith('.')) continue;
      if (depth >= maxDepth) listing.entries.push(refused(path, refusals.tooDeep));
      else await listFolder(listing, { folder: full, below: `${path}/`, skipped, signal, depth: depth + 1 });
    } else if (item.isFile()) files.push({ full, path });
    else if (item.isSymbolicLink()) listing.entries.push(await linkEntry(full, path, listing.root));
    else listing.entries.push(refused(path, refusals.special));
    requireFewFiles(listing.entries.length + files.length);
  }
  for (let at = 0; at < files.length; at += listing.statsAtOnce) {
    signal.throwIfAborted();
    const some = files.slice(at, at + listing.statsAtOnce);
    const found = await Promise.all(some.map(async ({ full, path }) => ({ path, stats: await statOf(full) })));
    for (const { path, stats } of found) if (stats?.isFile()) listing.entries.push(entryOf(path, stats));
  }
}

function requireFewFiles(count: number): void {
  if (count > maxFiles) throw new SourceUnavailable('too_many_files', `There are more than ${maxFiles} files.`);
}

/** A link to a file within the source is followed; its target is imported once, because the content is the same. */
async function linkEntry(full: string, path: string, root: string): Promise<Entry> {
  const target = await realpath(full).catch(() => null);
  if (target === null) return refused(path, refusals.linkBroken);
  if (!isWithin(target, [root])) return refused(path, refusals.linkOut);
  const stats = await statOf(target);
  if (!stats?.isFile()) return refused(path, refusals.linkToFolder);
  return entryOf(path, stats);
}

function entryOf(path: string, stats: BigIntStats): Entry {
  const modifiedAt = new Date(Number(stats.mtimeMs));
  return { path, bytes: Number(stats.size), modifiedAt, version: versionOf(stats), refusal: '' };
}

function refused(path: string, refusal: string): Entry {
  return { path, bytes: 0, modifiedAt: new Date(0), version: refusal, refusal };
}

/** The change time tells a file whose copy preserved the modification time. */
function versionOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return `${size}:${mtimeNs}:${ctimeNs}:${ino}`;
}

/** One call of the system without a promise of the file system's own: it is made for every file of every scan. */
function statOf(full: string): Promise<BigIntStats | null> {
  return new Promise((resolve, reject) => {
    lstat(full, { bigint: true }, (error, stats) => {
      if (!error) resolve(stats);
      else if (error.code === 'ENOENT' || error.code === 'ENOTDIR') resolve(null);
      else reject(error);
    });
  });
}

async function isListed(full: string, { version }: Entry): Promise<boolean> {
  const stats = await stat(full, { bigint: true }).catch(() => null);
  return stats !== null && versionOf(stats) === version;
}

function changedIfMissing(error: unknown): never {
  if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') throw new EntryChanged('missing');
  throw error;
}

/**
 * An empty folder without the marker of the chosen one may be the mount point of a disk that is missing: the only copy of a
 * file would move to the disk below. @throws SourceUnavailable
 */
async function requireMoveTarget(folder: string): Promise<void> {
  if (await isMarked(folder)) return;
  // Sources of earlier versions have no marker, but files that were moved.
  if ((await readdir(folder)).length > 0) return markFolder(folder);
  await requireMarker(folder).catch((cause: Error) => {
    throw new SourceUnavailable('not_mounted', cause.message, cause);
  });
}

async function targetOf(path: string, { moveTo, roots }: Pick<FolderOptions, 'moveTo' | 'roots'>): Promise<string> {
  const allowed = await resolveRoots(roots);
  let folder = (await checkFolder(moveTo, roots)).resolved;
  await requireMoveTarget(folder);
  // One folder after the other, each in one whose real path was checked: a link must not choose where they are created.
  for (const name of dirname(path).split(sep)) {
    await mkdir(join(folder, name)).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    });
    folder = await realpath(join(folder, name));
    if (!isWithin(folder, allowed))
      throw new SourceUnavailable('folder_refused', 'The folder for imported files leads out of the allowed folders.');
  }
  return join(folder, basename(path));
}

/** Never replaces a file: a taken name gets a number. */
async function placeCopy(from: string, to: string): Promise<void> {
  const extension = extname(to);
  const stem = to.slice(0, to.length - extension.length);
  for (let i = 1; i < 1_000; i += 1) {
    const target = i === 1 ? to : `${stem} (${i})${extension}`;
    try {
      // A link appears completely or not at all; file systems without links copy.
      await link(from, target).catch((error: unknown) => {
        if (systemCode(error) === 'EEXIST') throw error;
        return copyFile(from, target, constants.COPYFILE_EXCL);
      });
      return;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
  throw new Error(`${to} exists already, and so do 998 numbered names`);
}

function unavailable(path: string, error: unknown): unknown {
  if (error instanceof SourceUnavailable || (error instanceof Error && error.name === 'AbortError')) return error;
  const code = systemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new SourceUnavailable('folder_missing', `${path} is missing.`, error);
  if (code === 'EACCES' || code === 'EPERM')
    return new SourceUnavailable('permission_denied', `${path} cannot be read: permission denied.`, error);
  if (code !== '') return new SourceUnavailable('source_unreachable', `${path} cannot be read: ${code}.`, error);
  return error;
}
