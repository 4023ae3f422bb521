import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { listFiles, readJson, sha256Of, writeJson } from './files.ts';
import type { Manifest } from './manifest.ts';

/** Beside the files of a model: what they were when they were verified. */
export const verificationFile = 'verified.json';
export const evaluationFile = 'evaluation.json';
const ours = new Set([verificationFile, evaluationFile]);

const recorded = z.object({ bytes: z.int(), mtime_ms: z.number(), sha256: z.string() });
const verification = z.object({
  version: z.literal(1),
  /**
   * What the hashes were compared with: the catalogue, the model's own manifest, or nothing. `import`: an administrator
   * vouched for the files, and the hashes only show later changes.
   */
  origin: z.enum(['catalogue', 'manifest', 'import']),
  verified_at: z.iso.datetime(),
  licence: z.object({ name: z.string(), accepted_at: z.iso.datetime().nullable() }).nullable(),
  files: z.record(z.string(), recorded),
});
export type Verification = z.infer<typeof verification>;

export async function readVerification(folder: string): Promise<Verification | undefined> {
  return verification.safeParse(await readJson(join(folder, verificationFile))).data;
}

export type Expected = Readonly<
  Record<string, { readonly bytes?: number | undefined; readonly sha256?: string | undefined }>
>;
type Recording = Pick<Verification, 'origin' | 'licence'> & {
  readonly expected: Expected;
  readonly signal?: AbortSignal;
};

/**
 * Hashes every file of a folder, and records the hashes when none differs from the expected ones.
 * @returns what differs, or null.
 */
export async function recordVerification(
  folder: string,
  { expected, origin, licence, signal }: Recording,
): Promise<string | null> {
  const files: Verification['files'] = {};
  for (const path of await listFiles(folder)) {
    if (ours.has(path)) continue;
    const { size, mtimeMs } = await stat(join(folder, path));
    files[path] = { bytes: size, mtime_ms: mtimeMs, sha256: await sha256Of(join(folder, path), signal) };
  }
  const why = differenceOf(files, expected);
  if (why !== null) return why;
  const record: Verification = { version: 1, origin, verified_at: new Date().toISOString(), licence, files };
  await writeJson(join(folder, verificationFile), record);
  return null;
}

/** Hashes the files that have an expected hash. @returns what differs, or null. */
export async function findDifference(folder: string, expected: Expected): Promise<string | null> {
  const files: Verification['files'] = {};
  for (const [path, { sha256 }] of Object.entries(expected)) {
    const info = await stat(join(folder, path)).catch(() => undefined);
    if (!info) continue;
    const found = sha256 === undefined ? '' : await sha256Of(join(folder, path));
    files[path] = { bytes: info.size, mtime_ms: info.mtimeMs, sha256: found };
  }
  return differenceOf(files, expected);
}

function differenceOf(files: Verification['files'], expected: Expected): string | null {
  for (const [path, { bytes, sha256 }] of Object.entries(expected)) {
    const found = files[path];
    if (!found) return `the file ${path} is missing`;
    if (bytes !== undefined && found.bytes !== bytes) return `${path} has ${found.bytes} bytes, not ${bytes}`;
    if (sha256 !== undefined && found.sha256 !== sha256.toLowerCase())
      return `${path} is not the file that its manifest describes (SHA-256 differs)`;
  }
  return null;
}

/**
 * Compares a model with its verification. A file of the same size and another time is hashed again, because copies and
 * restored volumes change the times only. `full`: every file is hashed.
 * @returns what differs, or null.
 */
export async function verificationFault(
  folder: string,
  needed: readonly string[],
  { full = false, signal }: { full?: boolean; signal?: AbortSignal } = {},
): Promise<string | null> {
  const record = await readVerification(folder);
  if (!record) return notVerified;
  for (const path of needed) if (!record.files[path]) return `${path} was added after the verification`;
  let sameTimes = true;
  for (const [path, file] of Object.entries(record.files)) {
    const { bytes, mtime_ms: time, sha256 } = file;
    const info = await stat(join(folder, path)).catch(() => undefined);
    if (!info) return `the file ${path} is missing`;
    if (info.size !== bytes) return `${path} has ${info.size} bytes, not ${bytes}`;
    if ((full || info.mtimeMs !== time) && (await sha256Of(join(folder, path), signal)) !== sha256)
      return `${path} was changed after the verification (SHA-256 differs)`;
    sameTimes &&= info.mtimeMs === time;
    file.mtime_ms = info.mtimeMs;
  }
  // Saves the next hashing; a folder that cannot be written is hashed again.
  if (!sameTimes) await writeJson(join(folder, verificationFile), record).catch(() => undefined);
  return null;
}

export const notVerified = 'not verified; to use it, run: ./overtone models verify';

/** The paths and hashes in the manifest of a model; a file without a hash is only required to exist. */
export function expectedOf({ files }: Manifest): Expected {
  return Object.fromEntries(Object.values(files).map(({ path, bytes, sha256 }) => [path, { bytes, sha256 }]));
}
