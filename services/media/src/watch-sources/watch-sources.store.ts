import {
  maxCollectionFiles,
  watchKeySettings,
  watchSourceSettings,
  type WatchDecisionKind,
  type WatchSourceSettings,
} from '@overtone/contracts';
import type { SettingsStore } from '@overtone/database';
import type { Db, Tx } from '../database.ts';
import type { WatchSource } from '../generated/client.ts';
import { addFiles } from '../collections/collections.store.ts';
import { normalizedTag } from '../tags/tags.ts';
import type { UnavailableCode } from './place.ts';
import type { Entry, Remembered } from './watch-sources.ts';

/** How long a process may be silent before another one scans its sources. */
const leaseSeconds = 20;
const batchSize = 500;
const keepGoneDays = 90;

export type Source = {
  id: string;
  version: number;
  ownerId: string | null;
  settings: WatchSourceSettings;
  files: number;
  rootIdentity: string | null;
  scanRequestedAt: Date | null;
};
/** A stored decision, as the scanner keeps it in memory. */
export type Known = Remembered & { fileId: string | null; isGone: boolean };
/** A decision that is to be stored. */
export type NewDecision = {
  entry: Pick<Entry, 'path' | 'version' | 'bytes' | 'modifiedAt'>;
  decision: WatchDecisionKind;
  reason: string;
  ownerId?: string | null;
  sha256?: string | null;
  fileId?: string | null;
  afterState?: 'pending' | 'done' | 'failed' | null;
  attempts?: number;
  nextAttemptAt?: number | null;
};

export function toSource(row: WatchSource): Source {
  const { id, version, ownerId, config, files, rootIdentity, scanRequestedAt } = row;
  return { id, version, ownerId, settings: watchSourceSettings.parse(config), files, rootIdentity, scanRequestedAt };
}

/** The secret key of a bucket; null: none. */
export async function readKey(db: Db | Tx, keys: SettingsStore, id: string): Promise<string | null> {
  const { values } = await keys.read(db, watchKeySettings(id));
  const key: unknown = (values as Record<string, unknown>)[`key-${id}`];
  return typeof key === 'string' ? key : null;
}

/** Takes over all enabled sources that no other process scans, and renews the leases of this one. */
export async function claimSources(db: Db, holder: string): Promise<Source[]> {
  await db.$executeRaw`
    update watch_source set holder = ${holder}::uuid, lease_until = now() + make_interval(secs => ${leaseSeconds}::int)
    where enabled and (lease_until is null or lease_until < now()
      or (holder = ${holder}::uuid and lease_until < now() + make_interval(secs => ${leaseSeconds / 2}::int)))`;
  return (await db.watchSource.findMany({ where: { holder, enabled: true } })).map(toSource);
}

/** Lets another process continue at once. */
export async function releaseSources(db: Db, holder: string): Promise<void> {
  await db.$executeRaw`update watch_source set lease_until = null, holder = null where holder = ${holder}::uuid`;
}

/** Files that this service removed itself are not needed: their content is in the ledger. */
export async function loadKnown(db: Db, sourceId: string): Promise<Map<string, Known>> {
  const known = new Map<string, Known>();
  let after = 0n;
  for (;;) {
    const rows = await db.watchDecision.findMany({
      where: {
        sourceId,
        id: { gt: after },
        OR: [{ goneAt: null }, { afterState: null }, { afterState: { not: 'done' } }],
      },
      orderBy: { id: 'asc' },
      take: 10_000,
    });
    for (const row of rows)
      known.set(row.path, {
        version: row.version,
        decision: row.decision as WatchDecisionKind,
        sourceVersion: row.sourceVersion,
        nextAttemptAt: row.nextAttemptAt?.getTime() ?? null,
        attempts: row.attempts,
        afterState: row.afterState,
        fileId: row.fileId,
        isGone: row.goneAt !== null,
      });
    if (rows.length < 10_000) return known;
    after = rows.at(-1)?.id ?? after;
  }
}

/** Stores decisions; those of files that are there again, too. */
export async function storeDecisions(db: Db | Tx, source: Source, decisions: readonly NewDecision[]): Promise<void> {
  for (let at = 0; at < decisions.length; at += batchSize) {
    const rows = decisions.slice(at, at + batchSize).map((row) => ({
      path: row.entry.path,
      version: row.entry.version,
      bytes: row.entry.bytes,
      modified_at: row.entry.modifiedAt.toISOString(),
      decision: row.decision,
      reason: row.reason.slice(0, 500),
      owner_id: row.ownerId ?? null,
      sha256: row.sha256 ?? null,
      media_file_id: row.fileId ?? null,
      after_state: row.afterState ?? null,
      attempts: row.attempts ?? 0,
      next_attempt_at: typeof row.nextAttemptAt === 'number' ? new Date(row.nextAttemptAt).toISOString() : null,
    }));
    await db.$executeRaw`
      insert into watch_decision (source_id, path, version, bytes, modified_at, decision, reason, source_version, owner_id,
        sha256, media_file_id, after_state, attempts, next_attempt_at)
      select ${source.id}::uuid, r.path, r.version, r.bytes, r.modified_at, r.decision, r.reason, ${source.version}::int,
        r.owner_id, r.sha256, r.media_file_id, r.after_state, r.attempts, r.next_attempt_at
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (path text, version text, bytes bigint,
        modified_at timestamptz, decision text, reason text, owner_id uuid, sha256 text, media_file_id uuid,
        after_state text, attempts int, next_attempt_at timestamptz)
      on conflict (source_id, md5(path)) do update set version = excluded.version, bytes = excluded.bytes,
        modified_at = excluded.modified_at, decision = excluded.decision, reason = excluded.reason,
        source_version = excluded.source_version, owner_id = excluded.owner_id, sha256 = excluded.sha256,
        media_file_id = excluded.media_file_id, after_state = excluded.after_state, attempts = excluded.attempts,
        next_attempt_at = excluded.next_attempt_at, decided_at = now(), gone_at = null`;
  }
}

/** Notes that files are missing in the source, or there again. Nothing that was imported changes. */
export async function markGone(db: Db, sourceId: string, paths: readonly string[], isGone: boolean): Promise<void> {
  for (let at = 0; at < paths.length; at += batchSize) {
    const keys = paths.slice(at, at + batchSize);
    await db.$executeRaw`
      update watch_decision set gone_at = case when ${isGone}::boolean then now() end
      where source_id = ${sourceId}::uuid and md5(path) in (select md5(p) from unnest(${keys}::text[]) p)`;
  }
}

/** Decisions about files that are missing in their source for long. */
export async function removeOldDecisions(db: Db): Promise<void> {
  await db.$executeRaw`delete from watch_decision where gone_at < now() - make_interval(days => ${keepGoneDays}::int)`;
}

export async function findDecision(db: Db, sourceId: string, path: string) {
  const rows = await db.$queryRaw<{ id: bigint }[]>`
    select id from watch_decision where source_id = ${sourceId}::uuid and md5(path) = md5(${path}) and path = ${path}`;
  return rows[0] ? db.watchDecision.findUnique({ where: { id: rows[0].id } }) : null;
}

export async function setAfterState(
  db: Db,
  id: bigint,
  {
    afterState,
    reason,
    attempts = 0,
    nextAttemptAt = null,
  }: Pick<NewDecision, 'afterState' | 'reason' | 'attempts' | 'nextAttemptAt'>,
): Promise<void> {
  const next = nextAttemptAt === null ? null : new Date(nextAttemptAt);
  await db.watchDecision.updateMany({
    where: { id },
    data: { afterState: afterState ?? null, reason: reason.slice(0, 500), attempts, nextAttemptAt: next },
  });
}

type ScanResult = { files: number; hasEvents: boolean; scanMs: number; rootIdentity: string | null };

export async function setAvailable(db: Db, source: Source, result: ScanResult): Promise<void> {
  const { files, hasEvents, scanMs, rootIdentity } = result;
  await db.$executeRaw`
    update watch_source set status = 'available', error_code = null, error_message = null, files = ${files}::int,
      has_events = ${hasEvents}::boolean, scanned_at = now(), scan_ms = ${scanMs}::int, root_identity = ${rootIdentity},
      status_since = case when status = 'available' then status_since else now() end
    where uuid = ${source.id}::uuid and version = ${source.version}::int`;
}

export async function setUnavailable(
  db: Db,
  source: Source,
  { code, message }: { code: UnavailableCode; message: string },
): Promise<void> {
  await db.$executeRaw`
    update watch_source set status = 'unavailable', error_code = ${code}, error_message = ${message.slice(0, 500)},
      has_events = false, status_since = case when status = 'unavailable' then status_since else now() end
    where uuid = ${source.id}::uuid and version = ${source.version}::int`;
}

/** @returns the file that has this content already; null when it is new for the owner. */
export async function recordImport(
  tx: Tx,
  { ownerId, sha256, fileId }: { ownerId: string; sha256: string; fileId: string },
): Promise<string | null> {
  const { count } = await tx.watchImport.createMany({ data: { ownerId, sha256, fileId }, skipDuplicates: true });
  if (count > 0) return null;
  return (await tx.watchImport.findUniqueOrThrow({ where: { ownerId_sha256: { ownerId, sha256 } } })).fileId;
}

export async function attachTags(tx: Tx, userId: string, fileId: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const key = { userId, normalizedName: normalizedTag(name) };
    await tx.tag.createMany({ data: { ...key, name, source: 'manual' }, skipDuplicates: true });
    const tag = await tx.tag.findUniqueOrThrow({ where: { userId_normalizedName: key } });
    await tx.fileTag.createMany({ data: { fileId, tagId: tag.id, source: 'manual' }, skipDuplicates: true });
  }
}

/**
 * Adds a file to the owner's collection with this name. The owner counts as the person who added it: a folder that the owner
 * shares as a collection gives its new files, too.
 */
export async function addToCollection(tx: Tx, userId: string, fileId: string, name: string): Promise<void> {
  const find = () => tx.$queryRaw<{ id: string }[]>`
    select uuid::text as id from collection where user_id = ${userId}::uuid and lower(name) = lower(${name}) for update`;
  if ((await find()).length === 0)
    await tx.collection.createMany({ data: { userId, name, source: 'bulk_group' }, skipDuplicates: true });
  const [collection] = await find();
  if (!collection) throw new Error('the collection was neither found nor created');
  // A recording is more important than its place.
  if ((await tx.collectionMember.count({ where: { collectionId: collection.id } })) >= maxCollectionFiles) return;
  await addFiles(tx, { id: collection.id, userId }, { fileIds: [fileId], addedBy: userId, source: 'bulk_group' });
}
