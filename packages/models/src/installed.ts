import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readEvaluation, type Evaluation } from './evaluation.ts';
import { listFiles, listModelFiles } from './files.ts';
import { manifestFromNames, manifestSchema, type Manifest, type ModelKind } from './manifest.ts';
import { listPlaces, type ModelPlace } from './model-folder.ts';
import { notVerified, readVerification, verificationFault, type Verification } from './verification.ts';

/** A model in the model folder, as lists show it. */
export type InstalledModel = {
  readonly name: string;
  readonly kind: ModelKind;
  readonly family: string | null;
  readonly languages: string[];
  readonly licence: string | null;
  readonly bytes: number;
  readonly origin: Verification['origin'] | null;
  readonly verified_at: string | null;
  /** Why it is not loaded; null: its files are those that were verified. */
  readonly fault: string | null;
  readonly evaluation: Evaluation | null;
};

/** All models below the model folder, also those that are not loaded. */
export async function listInstalled(cacheDir: string): Promise<InstalledModel[]> {
  const models: InstalledModel[] = [];
  for (const place of await listPlaces(cacheDir)) models.push(await describe(place));
  return models;
}

async function describe(place: ModelPlace): Promise<InstalledModel> {
  const { name, kind, folder } = place;
  const [manifest, record, evaluation] = await Promise.all([
    readManifest(place),
    readVerification(folder),
    readEvaluation(folder),
  ]);
  const paths = Object.values(manifest?.files ?? {}).map(({ path }) => path);
  return {
    name,
    kind,
    family: manifest?.family ?? null,
    languages: manifest?.langs ?? [],
    licence: record?.licence?.name ?? manifest?.license ?? null,
    bytes: await sizeOf(folder),
    origin: record?.origin ?? null,
    verified_at: record?.verified_at ?? null,
    fault: manifest ? await faultOf(folder, paths, manifest) : 'its files are not a known model',
    evaluation: evaluation ?? null,
  };
}

/** A manifest with the hash of every file needs no record: the worker makes it when it loads the model. */
async function faultOf(folder: string, paths: readonly string[], manifest: Manifest): Promise<string | null> {
  const fault = await verificationFault(folder, paths);
  return fault === notVerified && Object.values(manifest.files).every(({ sha256 }) => sha256) ? null : fault;
}

async function readManifest({ kind, name, folder }: ModelPlace): Promise<Manifest | undefined> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return manifestFromNames(kind, name, await listModelFiles(folder), 'int8');
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function sizeOf(folder: string): Promise<number> {
  const sizes = await Promise.all((await listFiles(folder)).map(async (path) => (await stat(join(folder, path))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
