import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ModelError } from './errors.ts';
import { modelKinds, type ModelKind } from './manifest.ts';

/** A model is the folder MODEL_CACHE_DIR/<kind>/<name>. */
export type ModelPlace = { readonly kind: ModelKind; readonly name: string; readonly folder: string };

/** A name is also the name of a folder. */
export const modelName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Downloads in progress, the lock of the folder, and the state of the last pull of every model. */
export function pullsFolder(cacheDir: string): string {
  return join(cacheDir, '.pulls');
}

export function placeOf(cacheDir: string, kind: ModelKind, name: string): ModelPlace {
  return { kind, name, folder: join(cacheDir, kind, name) };
}

export async function listPlaces(cacheDir: string): Promise<ModelPlace[]> {
  const lists = await Promise.all(
    modelKinds.map(async (kind) => {
      const entries = await readdir(join(cacheDir, kind), { withFileTypes: true }).catch(() => []);
      return entries.filter((entry) => entry.isDirectory()).map(({ name }) => placeOf(cacheDir, kind, name));
    }),
  );
  return lists.flat().sort((x, y) => (x.folder < y.folder ? -1 : 1));
}

/** @throws ModelError when no installed model has this name. */
export async function findPlace(cacheDir: string, name: string): Promise<ModelPlace> {
  const place = (await listPlaces(cacheDir)).find((candidate) => candidate.name === name);
  if (place) return place;
  throw new ModelError('model_missing', `No model ${name} is installed in ${cacheDir}.`);
}
