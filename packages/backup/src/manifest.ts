import { createHash } from 'node:crypto';
import { z } from 'zod';
import { BackupError } from './errors.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * Describes a dump; stands beside it as `<name>.manifest.json` and is written last, so that a dump without a manifest is
 * an unfinished one. Sizes are bytes.
 */
const manifestSchema = z.object({
  format: z.literal(1),
  name: z.string().regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/),
  product_version: z.string(),
  schema_version: z.int().nonnegative(),
  created_at: z.iso.datetime(),
  database_bytes: z.int().nonnegative(),
  /** In ascending order of names; `content` is `hashTables`. */
  tables: z.array(z.object({ name: z.string(), rows: z.int().nonnegative(), content: sha256 })),
  /** What the database names in the object store; the objects themselves are in the media mirror. */
  objects: z.object({ count: z.int().nonnegative(), bytes: z.int().nonnegative() }),
  /** Fingerprints of the keys in ENCRYPTION_KEY. */
  encryption_keys: z.array(z.string()),
  dump: z.object({
    file: z.string(),
    bytes: z.int().positive(),
    /** Of the stored file, after encryption. */
    sha256,
    encrypted: z.boolean(),
  }),
});
export type Manifest = z.infer<typeof manifestSchema>;

export const manifestEnding = '.manifest.json';

/** The text of a manifest file: the manifest and the hash of its own members. */
export function writeManifest(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, manifest_sha256: hashOf(manifest) }, undefined, 2)}\n`;
}

/** @throws BackupError manifest_invalid: not a manifest, or altered since it was written. */
export function readManifest(text: string): Manifest {
  const found = z.looseObject({ format: z.unknown(), manifest_sha256: z.unknown() }).safeParse(parseJson(text));
  if (!found.success) throw new BackupError('manifest_invalid', 'This is not the manifest of a backup.');
  if (found.data.format !== 1)
    throw new BackupError(
      'manifest_invalid',
      'This backup has another format; restore it with the version that made it.',
    );
  const manifest = manifestSchema.safeParse(found.data);
  if (!manifest.success || hashOf(manifest.data) !== found.data.manifest_sha256)
    throw new BackupError('manifest_invalid', 'The manifest of this backup is damaged.');
  return manifest.data;
}

function hashOf(manifest: Manifest): string {
  return createHash('sha256')
    .update(JSON.stringify(manifestSchema.parse(manifest)))
    .digest('hex');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
