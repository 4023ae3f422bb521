import { createHash } from 'node:crypto';
import { allSettled, BackupError, inBatches } from '@overtone/backup';
import type { MirrorReport, MirrorSettings } from '@overtone/contracts';
import { hasObject, type ListedObject, type ObjectStore } from '@overtone/object-store';
import { isAppError, type Log } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { failureOf } from '../destination.ts';
import { Prisma } from '../generated/client.ts';
import type { Perform } from '../runs/runs.ts';
import type { RunRow, RunStore } from '../runs/runs.store.ts';
import type { Secrets, Stored } from '../settings/settings.ts';
import { mirrorStore, type Known, type MirrorPass } from './mirror.store.ts';
import type { Mirror } from './open-mirror.ts';
import { createThrottle, type Throttle } from './throttle.ts';

export type MirrorRow = RunRow & {
  copied: number;
  bytes_copied: bigint;
  already_there: number;
  missing: number;
  differing: number;
  failed: number;
  report: MirrorReport;
};
type Counts = {
  copied: number;
  bytes: number;
  alreadyThere: number;
  missing: number;
  differing: number;
  failed: number;
};

/** Recordings and what was derived from them; unfinished uploads are not mirrored. */
const prefixes = ['files/', 'derived/'];
const batchSize = 500;
const concurrentCopies = 3;
/** So many failures one after another are a fault of the destination, not of objects. */
const maxFailuresInRow = 10;
const namesInReport = 1_000;
const megabyte = 1_000_000;

type Deps = {
  db: Db;
  log: Log;
  objects: ObjectStore;
  store: RunStore<MirrorRow>;
  readSettings: () => Promise<Stored<MirrorSettings>>;
  open: (settings: MirrorSettings, secrets: Secrets) => Mirror | undefined;
};

/** Copies what is missing in the mirror. Deletes nothing; a run that was interrupted continues with the next one. */
export function createMirrorPerformer({ db, log, objects, store, readSettings, open }: Deps): Perform {
  return async (runId, signal) => {
    const { settings, secrets } = await readSettings();
    const mirror = open(settings, secrets);
    if (!mirror) throw new BackupError('destination_unavailable', 'There is no destination.');
    const { throttle_mb_per_second: limit } = settings;
    const counts: Counts = { copied: 0, bytes: 0, alreadyThere: 0, missing: 0, differing: 0, failed: 0 };
    const report: MirrorReport = { missing: [], differing: [], failed: [] };
    const throttle = createThrottle(limit === null ? null : limit * megabyte, signal);
    const pass: Pass = {
      db,
      runId,
      destination: mirror.identity,
      source: objects,
      target: mirror.store,
      throttle,
      signal,
      counts,
      report,
    };
    try {
      await store.setDestination(db, runId, mirror.place);
      // A folder that vanished is not created on another disk.
      await mirror.enter();
      await mirrorStore.forgetOthers(pass);
      // What a killed run has left unfinished.
      await mirror.store.removeLeftovers();
      await listMirror(pass);
      await copyAll(pass);
      await findMissing(pass);
      log.info({ run: runId, ...counts }, 'media mirror complete');
      return { columns: columnsOf(counts, report), ...failureOfCopies(counts) };
    } catch (error) {
      return { columns: columnsOf(counts, report), error };
    } finally {
      mirror.close();
    }
  };
}

type Pass = MirrorPass & {
  source: ObjectStore;
  target: ObjectStore;
  throttle: Throttle;
  signal: AbortSignal;
  counts: Counts;
  report: MirrorReport;
};

async function listMirror(pass: Pass): Promise<void> {
  const { target, signal } = pass;
  for (const prefix of prefixes)
    for await (const batch of inBatches(target.list(prefix), batchSize)) {
      signal.throwIfAborted();
      await mirrorStore.seen(pass, batch);
    }
}

async function copyAll(pass: Pass): Promise<void> {
  const { source, signal, counts, report } = pass;
  let failuresInRow = 0;
  const handle = async (object: ListedObject, known: Known | undefined): Promise<void> => {
    try {
      await mirrorObject(pass, object, known);
      failuresInRow = 0;
    } catch (error) {
      signal.throwIfAborted();
      // Deleted since it was listed.
      if (isNotFound(error) && !(await hasObject(source, object.key))) return;
      const { code, message } = failureOf(error);
      counts.failed += 1;
      failuresInRow += 1;
      addName(report.failed, { key: object.key, error: message });
      if (code === 'destination_full' || failuresInRow >= maxFailuresInRow) throw error;
    }
  };
  for (const prefix of prefixes)
    for await (const batch of inBatches(source.list(prefix), batchSize)) {
      const known = await mirrorStore.listed(
        pass,
        batch.map(({ key }) => key),
      );
      const queue = batch.values();
      const lane = async (): Promise<void> => {
        for (const object of queue) {
          signal.throwIfAborted();
          await handle(object, known.get(object.key));
        }
      };
      await allSettled(Array.from({ length: concurrentCopies }, lane));
    }
}

async function mirrorObject(pass: Pass, object: ListedObject, known: Known | undefined): Promise<void> {
  const { counts, report } = pass;
  const { key, bytes, etag } = object;
  if (known?.seenBytes === undefined || known.seenBytes === null) return await copy(pass, object);
  if (Number(known.seenBytes) === bytes) {
    const isUnchanged = Number(known.bytes) === bytes && known.etag === etag;
    const sha256 = isUnchanged ? known.sha256 : await sameContent(pass, object, known);
    if (sha256 !== null) {
      counts.alreadyThere += 1;
      if (!isUnchanged) await mirrorStore.record(pass, { key, bytes, etag, sha256 });
      return;
    }
  }
  counts.differing += 1;
  addName(report.differing, key);
  await copy(pass, object);
}

/** @returns the hash, when the object and its copy have the same content. */
async function sameContent({ source, target, throttle, signal }: Pass, { key }: ListedObject, { sha256 }: Known) {
  const hashOf = async (store: ObjectStore): Promise<string> => {
    const hash = createHash('sha256');
    const { stream } = await store.get(key, { signal });
    for await (const chunk of throttle(stream)) hash.update(chunk);
    return hash.digest('hex');
  };
  const ofSource = await hashOf(source);
  return ofSource === (sha256 || (await hashOf(target))) ? ofSource : null;
}

async function copy(pass: Pass, { key, bytes, etag }: ListedObject): Promise<void> {
  const { source, target, throttle, signal, counts } = pass;
  const { stream, contentType } = await source.get(key, { signal });
  const hash = createHash('sha256');
  try {
    const written = await target.put(key, throttle(stream), {
      contentType,
      signal,
      see: (chunk) => hash.update(chunk),
    });
    counts.copied += 1;
    counts.bytes += written.bytes;
    // The version that was listed: an object that was replaced since is compared by the next run.
    await mirrorStore.record(pass, { key, bytes, etag, sha256: hash.digest('hex') });
  } finally {
    stream.destroy();
  }
}

/** What the database names and the store does not have. Objects that were stored after the listing are not missing. */
async function findMissing(pass: Pass): Promise<void> {
  const { source, signal, counts, report } = pass;
  let after = '';
  for (;;) {
    const keys = await mirrorStore.unlisted(pass, after, batchSize);
    for (const { key } of keys) {
      signal.throwIfAborted();
      if (await hasObject(source, key)) continue;
      counts.missing += 1;
      addName(report.missing, key);
    }
    if (keys.length < batchSize) return;
    after = keys.at(-1)!.key;
  }
}

function isNotFound(error: unknown): boolean {
  return isAppError(error) && error.kind === 'not_found';
}

function failureOfCopies({ failed }: Counts): { error?: Error } {
  if (failed === 0) return {};
  return { error: new CopiesFailed(`${failed} objects could not be copied; the report names them.`) };
}

class CopiesFailed extends Error {}

function columnsOf({ copied, bytes, alreadyThere, missing, differing, failed }: Counts, report: MirrorReport) {
  return [
    Prisma.sql`copied = ${copied}`,
    Prisma.sql`bytes_copied = ${bytes}`,
    Prisma.sql`already_there = ${alreadyThere}`,
    Prisma.sql`missing = ${missing}`,
    Prisma.sql`differing = ${differing}`,
    Prisma.sql`failed = ${failed}`,
    Prisma.sql`report = ${JSON.stringify(report)}::jsonb`,
  ];
}

function addName<T>(names: T[], name: T): void {
  if (names.length < namesInReport) names.push(name);
}
