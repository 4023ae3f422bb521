import { cp, mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ModelError } from './errors.ts';
import { freeBytes, listFiles, listModelFiles, readJson, syncFolder } from './files.ts';
import { tryFolderLock } from './folder-lock.ts';
import { manifestFromNames, manifestSchema, modelKinds, onnxFile, type Manifest, type ModelKind } from './manifest.ts';
import { findPlace, modelName, placeOf, pullsFolder } from './model-folder.ts';
import { textKindOf } from './text-config.ts';
import { trackTask } from './task-status.ts';
import { explainFolder } from './foreign-models.ts';
import { expectedOf, readVerification, recordVerification, verificationFault } from './verification.ts';

type Import = {
  readonly cacheDir: string;
  /** A folder with the files of one model. */
  readonly from: string;
  /** Default: what the files are. */
  readonly kind?: ModelKind | undefined;
  /** Default: the name of the folder. */
  readonly name?: string | undefined;
};

/**
 * Copies a model into the model folder and records its hashes: the administrator vouches for the files. With hashes in
 * its manifest, the files are compared with them.
 */
export async function importModel({ cacheDir, from, kind, name }: Import): Promise<{ kind: ModelKind; name: string }> {
  const source = resolve(from);
  if (!(await stat(source).catch(() => undefined))?.isDirectory())
    throw new ModelError('model_invalid', `${source} is not a folder.`);
  const id = name ?? basename(source);
  if (!modelName.test(id))
    throw new ModelError('model_invalid', `${id} is not a name for a model: letters, digits, dots, - and _ only.`);
  const all = await listFiles(source);
  const manifest = await manifestIn(source, { id, kind, paths: all });
  const paths = neededFiles(manifest, all);
  const lock = await tryFolderLock(join(pullsFolder(cacheDir), '.lock'));
  if (!lock) throw new ModelError('pull_running', 'Another pull uses the model folder. Wait until it has ended.');
  const work = join(pullsFolder(cacheDir), id);
  const ready = join(work, 'ready');
  try {
    await rm(ready, { recursive: true, force: true });
    await mkdir(ready, { recursive: true });
    await requireSpace(source, paths, ready);
    for (const path of paths) {
      await mkdir(dirname(join(ready, path)), { recursive: true });
      await cp(join(source, path), join(ready, path), { preserveTimestamps: true });
    }
    const why = await recordVerification(ready, { expected: expectedOf(manifest), origin: 'import', licence: null });
    if (why !== null) throw new ModelError('hash_mismatch', `${id} was not imported: ${why}.`);
    await moveIn(ready, placeOf(cacheDir, manifest.kind, id).folder, join(work, 'replaced'));
  } finally {
    await rm(ready, { recursive: true, force: true });
    await lock.release();
  }
  return { kind: manifest.kind, name: id };
}

/** Replaces the folder of a model: a reader sees the old one, none for an instant, or the new one; never a part of it. */
export async function moveIn(ready: string, target: string, replaced: string): Promise<void> {
  await syncFolder(ready);
  await mkdir(dirname(target), { recursive: true });
  await rm(replaced, { recursive: true, force: true });
  await rename(target, replaced).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(ready, target);
  await syncFolder(dirname(target));
  await rm(replaced, { recursive: true, force: true });
}

const noticeNames = /^(?:licen[cs]e|notice|copying|readme)[^/]*$|^licences\//i;

/** The files of the model, the weights that ONNX files keep beside them, and the licences; not those of other precisions. */
function neededFiles(manifest: Manifest, all: readonly string[]): string[] {
  const own = new Set(['manifest.json', ...Object.values(manifest.files).map(({ path }) => path)]);
  const withoutWeights = (path: string): string => path.replace(/(?:[._]data\d*|\.weights)$/, '');
  const isOwn = (path: string): boolean =>
    own.has(path) || own.has(withoutWeights(path)) || own.has(`${withoutWeights(path)}.onnx`);
  return all.filter((path) => isOwn(path) || noticeNames.test(path));
}

async function requireSpace(source: string, paths: readonly string[], ready: string): Promise<void> {
  const sizes = await Promise.all(paths.map(async (path) => (await stat(join(source, path))).size));
  const needed = sizes.reduce((sum, size) => sum + size, 0);
  if ((await freeBytes(ready)) < needed)
    throw new ModelError('disk_full', 'There is not enough free space for the model. Free some, then import it again.');
}

type Found = { id: string; kind: ModelKind | undefined; paths: readonly string[] };

async function manifestIn(folder: string, { id, kind, paths }: Found): Promise<Manifest> {
  if (paths.includes('manifest.json')) {
    const parsed = manifestSchema.safeParse(await readJson(join(folder, 'manifest.json')));
    if (!parsed.success) throw new ModelError('model_invalid', `The manifest.json in ${folder} cannot be read.`);
    return parsed.data;
  }
  const names = await listModelFiles(folder);
  for (const candidate of kind ? [kind] : await kindsOf(folder, names)) {
    const manifest = manifestFromNames(candidate, id, names, 'int8');
    if (!manifest) continue;
    if (manifest.family !== 'faster-whisper' || (await explainFolder(folder, names)) === undefined) return manifest;
  }
  const what = await explainFolder(folder, names);
  const unknown = `The files in ${folder} are not a known model. A single .onnx file needs --kind (${modelKinds.join(', ')}).`;
  throw new ModelError('model_invalid', what ?? unknown);
}

/** A single .onnx file may be of any kind; only the name of Silero's says which. A text model has a tokenizer. */
async function kindsOf(folder: string, names: readonly string[]): Promise<ModelKind[]> {
  if (names.includes('model.bin')) return ['asr'];
  if (names.includes('tokenizer.json')) return [textKindOf(await readJson(join(folder, 'config.json')))];
  return names.some(onnxFile('silero')) ? ['asr', 'vad'] : ['asr'];
}

/** How a model was verified: its record was compared in full, or recorded now. */
export type VerifyResult = { readonly name: string; readonly fault: string | null; readonly recorded: boolean };

/**
 * Hashes all files of an installed model and compares them with its record. A model without one, copied into the folder
 * by hand, is compared with the hashes of its manifest, and recorded unchanged.
 */
export async function verifyModel(cacheDir: string, name: string, signal?: AbortSignal): Promise<VerifyResult> {
  const { kind, folder } = await findPlace(cacheDir, name);
  const stop = signal ? { signal } : {};
  if (await readVerification(folder)) {
    const fault = await verificationFault(folder, [], { full: true, ...stop });
    return { name, fault, recorded: false };
  }
  const manifest = await manifestIn(folder, { id: name, kind, paths: await listFiles(folder) });
  const fault = await recordVerification(folder, {
    expected: expectedOf(manifest),
    origin: 'import',
    licence: null,
    ...stop,
  });
  return { name, fault, recorded: fault === null };
}

/** Verifies an installed model and leaves the result as the status of its last task. */
export async function verifyAsTask(cacheDir: string, name: string, signal: AbortSignal): Promise<VerifyResult> {
  const task = trackTask({ cacheDir, name, totalBytes: 0 });
  try {
    await task.begin();
    const result = await verifyModel(cacheDir, name, signal);
    await task.end(result.fault === null ? undefined : new ModelError('hash_mismatch', `${name}: ${result.fault}`));
    return result;
  } catch (error) {
    await task.end(error);
    throw error;
  }
}
