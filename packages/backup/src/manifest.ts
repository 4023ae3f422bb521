import { createHash } from 'node:crypto';
import { keyedHashes, parseKeyRing } from '@overtone/service-kit/sealing';
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
export type Manifest = z.infer<typeof manifestSchema> & {
  /** HMAC of the other members with a key that is derived from ENCRYPTION_KEY; backups up to v0.5.0 have none. */
  readonly manifest_hmac?: string | undefined;
};

export const manifestEnding = '.manifest.json';

/** The text of a manifest file: the manifest, the hash of its own members, and their HMAC. */
export function writeManifest(manifest: Manifest, encryptionKey: string): string {
  const [own] = hmacsOf(manifest, encryptionKey);
  const members = { ...manifest, manifest_sha256: hashOf(manifest), manifest_hmac: own };
  return `${JSON.stringify(members, undefined, 2)}\n`;
}

/**
 * Refuses a manifest that was not written with one of these keys. The manifest contains the SHA-256 of the dump, so that
 * only who has the key can have made the backup. @throws BackupError backup_unverified.
 */
export function verifyMaker(manifest: Manifest, encryptionKey: string): void {
  const { name, product_version: version, manifest_hmac: hmac } = manifest;
  if (hmac !== undefined && hmacsOf(manifest, encryptionKey).includes(hmac)) return;
  throw new BackupError(
    'backup_unverified',
    hmac === undefined
      ? `The manifest of ${name} has no proof of who made it; it is of version ${version}, and those up to 0.5.0 wrote none.`
      : `${name} was not made with an encryption key of this installation, or its manifest was altered.`,
  );
}

/** @throws BackupError manifest_invalid: not a manifest, or altered since it was written. */
export function readManifest(text: string): Manifest {
  const found = z
    .looseObject({ format: z.unknown(), manifest_sha256: z.unknown(), manifest_hmac: z.string().optional() })
    .safeParse(parseJson(text));
  if (!found.success) throw new BackupError('manifest_invalid', 'This is not the manifest of a backup.');
  if (found.data.format !== 1)
    throw new BackupError(
      'manifest_invalid',
      'This backup has another format; restore it with the version that made it.',
    );
  const manifest = manifestSchema.safeParse(found.data);
  if (!manifest.success || hashOf(manifest.data) !== found.data.manifest_sha256)
    throw new BackupError('manifest_invalid', 'The manifest of this backup is damaged.');
  return { ...manifest.data, manifest_hmac: found.data.manifest_hmac };
}

function hashOf(manifest: Manifest): string {
  return createHash('sha256').update(membersOf(manifest)).digest('hex');
}

/** One for each key; the first is the one to store. */
function hmacsOf(manifest: Manifest, encryptionKey: string): string[] {
  return keyedHashes(parseKeyRing(encryptionKey), 'backup manifest', membersOf(manifest)).map(({ hash }) => hash);
}

function membersOf(manifest: Manifest): string {
  return JSON.stringify(manifestSchema.parse(manifest));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
