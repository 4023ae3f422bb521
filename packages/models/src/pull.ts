import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createOutboundGuard, parseRanges } from '@overtone/service-kit/outbound';
import { modelBytes, transferBytes, type CatalogueEntry, type Download } from './catalogue.ts';
import { asDiskFull, defaultDownloadOptions, diskFull, downloadFile, type DownloadOptions } from './download.ts';
import { ModelError } from './errors.ts';
import { freeBytes, writeJson } from './files.ts';
import { tryFolderLock } from './folder-lock.ts';
import { moveIn } from './import.ts';
import type { Manifest } from './manifest.ts';
import { placeOf, pullsFolder } from './model-folder.ts';
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

type Installation = PullOptions & { signal: AbortSignal; onReceived: (bytes: number) => void };

async function install({ cacheDir, entry, mirror, signal, onReceived, ...rest }: Installation): Promise<void> {
  const options = { ...defaultDownloadOptions, ...rest.download };
  const work = taskFolder(cacheDir, entry.name);
  const ready = join(work, 'ready');
  await mkdir(work, { recursive: true });
  await rm(ready, { recursive: true, force: true });
  await requireSpace(work, entry, options.reserveBytes);
  await downloadAll({
    entry,
    mirror,
    work,
    options,
    allowedRanges: rest.allowedRanges,
    proxied: rest.proxied,
    signal,
    onReceived,
  });
  await mkdir(ready);
  for (const item of entry.downloads) await unpack(item, { work, ready, signal });
  await writeJson(join(ready, 'manifest.json'), manifestOf(entry));
  const { licence, files } = entry;
  const expected = Object.fromEntries(Object.values(files).map(({ path, ...file }) => [path, file]));
  const accepted = { name: licence.name, accepted_at: licence.acceptance ? new Date().toISOString() : null };
  const why = await recordVerification(ready, { expected, origin: 'catalogue', licence: accepted, signal });
  if (why !== null) throw new ModelError('hash_mismatch', `${entry.name} is not what the catalogue describes: ${why}.`);
  await moveIn(ready, placeOf(cacheDir, entry.kind, entry.name).folder, join(work, 'replaced'));
  for (const { name } of entry.downloads) await rm(join(work, name), { force: true });
}

type Downloads = Pick<Installation, 'entry' | 'mirror' | 'allowedRanges' | 'proxied' | 'signal' | 'onReceived'> & {
  work: string;
  options: DownloadOptions;
};

async function downloadAll({
  entry,
  mirror,
  allowedRanges,
  proxied = false,
  work,
  options,
  signal,
  onReceived,
}: Downloads) {
  const guard = createOutboundGuard({ allowedRanges: parseRanges(allowedRanges ?? '') });
  const dispatcher = guard.createDispatcher();
  const redirects = { guard, dispatcher, proxied };
  let before = 0;
  try {
    for (const item of entry.downloads) {
      const sources = [...(mirror ? [mirrorAddress(mirror, entry.name, item.name)] : []), ...item.sources];
      const received = before;
      const onProgress = (bytes: number): void => onReceived(received + bytes);
      await downloadFile({ item, path: join(work, item.name), sources, options, redirects, onProgress, signal });
      before += item.bytes;
    }
  } finally {
    await dispatcher.destroy();
  }
}

/** Room for what is still missing, and for the unpacked files. */
async function requireSpace(work: string, entry: CatalogueEntry, reserveBytes: number): Promise<void> {
  const sizes = entry.downloads.map(async ({ name }) => {
    const found = [join(work, name), join(work, `${name}.partial`)].map((path) => stat(path).catch(() => undefined));
    return (await Promise.all(found)).reduce((sum, info) => sum + (info?.size ?? 0), 0);
  });
  const present = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  const unpacked = entry.downloads.some(({ extract }) => extract) ? modelBytes(entry) : 0;
  const needed = Math.max(0, transferBytes(entry) - present) + unpacked;
  if ((await freeBytes(work)) < needed + reserveBytes) throw diskFull();
}

function mirrorAddress(mirror: string, model: string, file: string): string {
  return `${mirror.replace(/\/+$/, '')}/${model}/${file}`;
}

async function unpack(item: Download, { work, ready, signal }: { work: string; ready: string; signal: AbortSignal }) {
  if (!item.extract) {
    await rename(join(work, item.name), join(ready, item.name));
    return;
  }
  for (const [path, member] of Object.entries(item.extract)) {
    await mkdir(dirname(join(ready, path)), { recursive: true });
    await extractMember(join(work, item.name), member, join(ready, path), signal);
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
