import { createHash } from 'node:crypto';
import type { ListedObject, ObjectStore } from '@overtone/object-store';
import type { Client } from 'pg';
import { allSettled, inBatches } from './batches.ts';
import { hasTable, withClient } from './client.ts';

/** What was copied from the mirror, and the names of what was not. */
export type MediaReport = {
  copied: number;
  bytes: number;
  alreadyThere: number;
  /** Copied without a known hash; only their sizes were compared. */
  unverified: number;
  /** Copies in the mirror with another content than the database names; they were not used. */
  differing: string[];
  failed: { key: string; error: string }[];
};

export type RestoreMediaOptions = {
  readonly databaseUrl: string;
  readonly mirror: Pick<ObjectStore, 'list' | 'get'>;
  readonly target: Pick<ObjectStore, 'head' | 'put'>;
  readonly onProgress?: (report: MediaReport) => void;
};

const batchSize = 500;
const concurrentCopies = 3;
/** So many failures one after another are a fault of a store, not of objects. */
const maxFailuresInRow = 10;

/**
 * Copies the objects that the database names and the target does not have from the mirror. A copy appears only after its hash
 * was compared with that in the database, where one is known. Objects that are there stay, except recordings of another
 * size than the database says. A call that was interrupted is continued by the next one.
 * @throws AppError when a store cannot be used.
 */
export async function restoreMedia(options: RestoreMediaOptions): Promise<MediaReport> {
  const report: MediaReport = { copied: 0, bytes: 0, alreadyThere: 0, unverified: 0, differing: [], failed: [] };
  await withClient(options.databaseUrl, async (client) => {
    const findExpected = await createExpectations(client);
    const handle = createHandler(options, report);
    for (const root of ['files/', 'derived/'])
      for await (const batch of inBatches(options.mirror.list(root), batchSize)) {
        const expected = await findExpected(batch);
        const queue = batch.values();
        const lane = async (): Promise<void> => {
          for (const object of queue) {
            const found = expected.get(object.key);
            if (found !== undefined) await handle(object, found);
          }
        };
        await allSettled(Array.from({ length: concurrentCopies }, lane));
        options.onProgress?.(report);
      }
  });
  return report;
}

/** What the database knows of an object; `bytes` only of recordings. */
type Expected = { readonly bytes: number | undefined; readonly sha256: string | undefined };

/** Looks up the objects of recordings that the database contains; others are left where they are. */
async function createExpectations(client: Client) {
  const ofMirror = (await hasTable(client, 'mirror_object'))
    ? 'left join mirror_object m on m.key = o.key'
    : `cross join (select '' as sha256) m`;
  return async (batch: readonly ListedObject[]): Promise<Map<string, Expected>> => {
    const { rows } = await client.query<{
      key: string;
      original: boolean;
      bytes: string;
      hash: string;
      sha256: string;
    }>(
      `select o.key, f.object_key = o.key as original, f.file_size as bytes, coalesce(f.file_hash, '') as hash,
         coalesce(m.sha256, '') as sha256
       from unnest($1::text[]) as o (key) join media_file f on f.uuid::text = split_part(o.key, '/', 2) ${ofMirror}`,
      [batch.map(({ key }) => key)],
    );
    return new Map(
      rows.map(({ key, original, bytes, hash, sha256 }) => [
        key,
        { bytes: original ? Number(bytes) : undefined, sha256: (original && hash) || sha256 || undefined },
      ]),
    );
  };
}

function createHandler({ mirror, target }: RestoreMediaOptions, report: MediaReport) {
  let failuresInRow = 0;
  return async (object: ListedObject, expected: Expected): Promise<void> => {
    try {
      if (await isGood(target, object.key, expected)) {
        report.alreadyThere += 1;
        return;
      }
      await copyVerified({ mirror, target }, object, expected);
      report.copied += 1;
      report.bytes += object.bytes;
      if (expected.sha256 === undefined) report.unverified += 1;
      failuresInRow = 0;
    } catch (error) {
      if (error instanceof ContentDiffers) {
        report.differing.push(object.key);
        return;
      }
      report.failed.push({ key: object.key, error: (error as Error).message });
      failuresInRow += 1;
      if (failuresInRow >= maxFailuresInRow || (error as { code?: string }).code === 'storage_full') throw error;
    }
  };
}

async function isGood(target: Pick<ObjectStore, 'head'>, key: string, { bytes }: Expected): Promise<boolean> {
  try {
    const found = await target.head(key);
    return bytes === undefined || found.bytes === bytes;
  } catch (error) {
    if ((error as { code?: string }).code === 'not_found') return false;
    throw error;
  }
}

class ContentDiffers extends Error {}

async function copyVerified(
  { mirror, target }: Pick<RestoreMediaOptions, 'mirror' | 'target'>,
  { key, bytes: listed }: ListedObject,
  { bytes = listed, sha256 }: Expected,
): Promise<void> {
  if (bytes !== listed) throw new ContentDiffers();
  const { stream, contentType } = await mirror.get(key);
  let differs = false;
  // The error ends the write before the object appears.
  async function* verified(): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    let read = 0;
    for await (const chunk of stream) {
      hash.update(chunk as Uint8Array);
      read += (chunk as Uint8Array).length;
      yield chunk as Uint8Array;
    }
    differs = read !== bytes || (sha256 !== undefined && hash.digest('hex') !== sha256);
    if (differs) throw new ContentDiffers();
  }
  try {
    await target.put(key, verified(), { contentType });
  } catch (error) {
    throw differs ? new ContentDiffers() : error;
  } finally {
    stream.destroy();
  }
}
