import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  expectedOf,
  findDifference,
  listModelFiles,
  listPlaces,
  manifestFromNames,
  manifestSchema,
  notVerified,
  recordVerification,
  rolesOf,
  verificationFault,
  verificationFile,
  type Manifest,
  type ModelFamily,
  type ModelKind,
  type ModelPlace,
  type Precision,
} from '@overtone/models';
import type { TuningOf } from '../gpu/gpu.ts';

/**
 * absent -> unverified | verified -> canary-ok. An unverified model is never loaded. `refused` contains the reason for a
 * rejection; the model is checked again when a file changes. Nothing is downloaded.
 */
export type ModelState = 'unverified' | 'verified' | 'canary-ok' | 'refused';

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

export type ModelStore = {
  /** Checks new models in the folder; cheap when nothing has changed. */
  look(): Promise<Model[]>;
};

export type ModelStoreOptions = {
  cacheDir: string;
  kinds: readonly ModelKind[];
  /** Models of other families belong to another engine. */
  families: readonly ModelFamily[];
  /** Also loads models whose files were not verified by a catalogue. */
  allowUnverified: boolean;
  tuningOf: (model: string) => Pick<ReturnType<TuningOf>, 'compute_type' | 'transcribe_on' | 'diarize_on'>;
  canary: Canary;
};

/** The models below MODEL_CACHE_DIR/<kind>/<id>/. */
export function createModelStore({
  cacheDir,
  kinds,
  families,
  allowUnverified,
  tuningOf,
  canary,
}: ModelStoreOptions): ModelStore {
  const known = new Map<string, Model>();
  let looking: Promise<Model[]> | undefined;

  const examine = async (place: ModelPlace): Promise<Model | undefined> => {
    const { kind, name: id, folder } = place;
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
    if (!manifest || !families.includes(manifest.family)) return undefined;
    // A change of the processor also requires a new test load.
    const fingerprint = `${await fingerprintOf(manifest, folder)}|${on.transcribe_on}|${on.diarize_on}`;
    const before = known.get(folder);
    if (before?.fingerprint === fingerprint) return before;
    const why = await fault(manifest, folder);
    if (why !== null) return refused(why, fingerprint, manifest);
    const unverified = await findUnverified(manifest, folder);
    if (unverified !== null && !(unverified === notVerified && allowUnverified)) {
      const state = unverified === notVerified ? ('unverified' as const) : ('refused' as const);
      return { ...refused(unverified, fingerprint, manifest), state };
    }
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
    for (const place of await listPlaces(cacheDir)) {
      if (!kinds.includes(place.kind)) continue;
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

async function readManifest(
  { kind, name: id, folder }: ModelPlace,
  precision: Precision,
): Promise<Manifest | undefined> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return manifestFromNames(kind, id, await listModelFiles(folder), precision);
  return manifestSchema.parse(JSON.parse(text));
}

async function fingerprintOf({ files }: Manifest, folder: string): Promise<string> {
  const parts: string[] = [];
  for (const path of [...Object.values(files).map((file) => file.path), verificationFile]) {
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
  }
  return null;
}

/**
 * Why a model must not be loaded, or null. A manifest with the hash of every file is a verification of its own: it is
 * compared once, and recorded.
 */
async function findUnverified(manifest: Manifest, folder: string): Promise<string | null> {
  const files = Object.values(manifest.files);
  const why = await verificationFault(
    folder,
    files.map(({ path }) => path),
  );
  const hashed = files.filter(({ sha256 }) => sha256);
  if (why !== notVerified || hashed.length === 0) return why;
  const recorded = { origin: 'manifest', licence: null } as const;
  if (hashed.length === files.length)
    return recordVerification(folder, { ...recorded, expected: expectedOf(manifest) });
  return (await findDifference(folder, expectedOf(manifest))) ?? why;
}
