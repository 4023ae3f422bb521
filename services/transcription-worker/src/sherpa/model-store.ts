import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  manifestFromNames,
  manifestSchema,
  modelKinds,
  rolesOf,
  type Manifest,
  type ModelKind,
  type Precision,
} from './models.ts';
import type { TuningOf } from '../gpu/gpu.ts';

/**
 * absent -> present -> verified -> canary-ok. `refused` contains the reason for a rejection; the model is checked again
 * when a file changes. Nothing is downloaded.
 */
export type ModelState = 'present' | 'verified' | 'canary-ok' | 'refused';

export type Model = {
  manifest: Manifest;
  folder: string;
  /** Sizes and times of its files; the checks stay valid while it is unchanged. */
  fingerprint: string;
  state: ModelState;
  why: string | null;
};

/** Loads a model in a child process and decodes one second of silence; throws on failure. */
export type Canary = (model: Model) => Promise<void>;

type Place = { kind: ModelKind; id: string; folder: string };

export type ModelStore = {
  /** Checks new models in the folder; cheap when nothing has changed. */
  look(): Promise<Model[]>;
};

/** The models below MODEL_CACHE_DIR/<kind>/<id>/. */
export function createModelStore(cacheDir: string, tuningOf: TuningOf, canary: Canary): ModelStore {
  const known = new Map<string, Model>();
  let looking: Promise<Model[]> | undefined;

  const examine = async (place: Place): Promise<Model | undefined> => {
    const { kind, id, folder } = place;
    const { compute_type: precision, ...on } = tuningOf(id);
    const refused = (why: string, fingerprint: string, manifest?: Manifest): Model => ({
      manifest: manifest ?? { id, kind, family: 'whisper', files: {}, langs: [], sampleRate: 16_000 },
      folder,
      fingerprint,
      state: 'refused',
      why,
    });
    let manifest: Manifest | undefined;
    try {
      manifest = await readManifest(place, precision);
    } catch {
      return refused('its manifest.json cannot be read', '');
    }
    if (!manifest) return undefined;
    // A change of the processor also requires a new test load.
    const fingerprint = `${await fingerprintOf(manifest, folder)}|${on.transcribe_on}|${on.diarize_on}`;
    const before = known.get(folder);
    if (before?.fingerprint === fingerprint) return before;
    const why = await fault(manifest, folder);
    if (why !== null) return refused(why, fingerprint, manifest);
    const model: Model = { manifest, folder, fingerprint, state: 'verified', why: null };
    try {
      await canary(model);
      return { ...model, state: 'canary-ok' };
    } catch (error) {
      return refused(`it does not load: ${(error as Error).message}`, fingerprint, manifest);
    }
  };

  const lookNow = async (): Promise<Model[]> => {
    const models: Model[] = [];
    for (const place of await foldersOf(cacheDir)) {
      const model = await examine(place);
      if (!model) continue;
      known.set(place.folder, model);
      models.push(model);
    }
    return models;
  };

  return {
    look: () => {
      looking ??= lookNow().finally(() => {
        looking = undefined;
      });
      return looking;
    },
  };
}

async function readManifest({ kind, id, folder }: Place, precision: Precision): Promise<Manifest | undefined> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return manifestFromNames(kind, id, await readdir(folder), precision);
  return manifestSchema.parse(JSON.parse(text));
}

async function fingerprintOf({ files }: Manifest, folder: string): Promise<string> {
  const parts: string[] = [];
  for (const { path } of Object.values(files)) {
    const info = await stat(join(folder, path)).catch(() => undefined);
    parts.push(`${path}:${info ? `${info.size}:${info.mtimeMs}` : 'missing'}`);
  }
  return parts.sort().join('|');
}

/** @returns why the files differ from the manifest, or null. */
async function fault({ files, family }: Manifest, folder: string): Promise<string | null> {
  for (const role of rolesOf[family]) if (!files[role]) return `its manifest names no ${role}`;
  for (const [role, file] of Object.entries(files)) {
    const info = await stat(join(folder, file.path)).catch(() => undefined);
    if (!info) return `the file ${file.path} (${role}) is missing`;
    if (file.bytes !== undefined && info.size !== file.bytes)
      return `${file.path} has ${info.size} bytes, not ${file.bytes}`;
    if (file.sha256 && (await sha256(join(folder, file.path))) !== file.sha256.toLowerCase()) {
      return `${file.path} is not the file its manifest describes (SHA-256 differs)`;
    }
  }
  return null;
}

async function foldersOf(cacheDir: string): Promise<Place[]> {
  const lists = await Promise.all(
    modelKinds.map(async (kind) => {
      const entries = await readdir(join(cacheDir, kind), { withFileTypes: true }).catch(() => []);
      return entries
        .filter((entry) => entry.isDirectory())
        .map((entry) => ({ kind, id: entry.name, folder: join(cacheDir, kind, entry.name) }));
    }),
  );
  return lists.flat().sort((x, y) => (x.folder < y.folder ? -1 : 1));
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
