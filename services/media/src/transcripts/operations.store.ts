import type { Word } from '@overtone/contracts';
import { conflict } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { Segment } from '../generated/client.ts';
import type { FoundSpan } from '../redaction/redaction.ts';
import type { OperationKind } from './operations.ts';

/** A segment before or after a correction, with those beside it; those of earlier releases have no `nextId`. */
export type SegmentState = Omit<
  Segment,
  'fileId' | 'position' | 'words' | 'redactions' | 'editedAt' | 'editedBy' | 'version'
> & { words: Word[]; redactions: FoundSpan[]; previousId: string | null; nextId?: string | null };

/** Between two adjacent segments, so that segments can be inserted without moving others. */
const gap = 1_024;
/** Moves all positions of a file out of the way; no transcript has as many segments. */
const aside = 1_000_000_000;

/** The states of these segments, in the order of the transcript. */
export async function readStates(tx: Tx, fileId: string, ids: readonly string[]): Promise<SegmentState[]> {
  const rows = await tx.segment.findMany({
    where: { fileId, id: { in: [...ids] } },
    orderBy: { position: 'asc' },
    omit: { fileId: true, version: true, editedAt: true, editedBy: true },
  });
  const adjacent = await readAdjacent(tx, fileId, ids);
  return rows.map(({ position: _, words, redactions, ...row }) => ({
    ...row,
    words: words as Word[],
    redactions: redactions as FoundSpan[],
    previousId: adjacent.get(row.id)?.previousId ?? null,
    nextId: adjacent.get(row.id)?.nextId ?? null,
  }));
}

type Adjacent = { previousId: string | null; nextId: string | null };

/** The ids of the segments before and after each of these. */
export async function readAdjacent(tx: Tx, fileId: string, ids: readonly string[]): Promise<Map<string, Adjacent>> {
  const rows = await tx.$queryRaw<({ id: string } & Adjacent)[]>`
    select t.uuid::text as id, p.uuid::text as "previousId", n.uuid::text as "nextId"
    from transcript_segment t
    left join lateral (
      select uuid from transcript_segment where media_file_id = t.media_file_id and position < t.position
      order by position desc limit 1) p on true
    left join lateral (
      select uuid from transcript_segment where media_file_id = t.media_file_id and position > t.position
      order by position limit 1) n on true
    where t.media_file_id = ${fileId}::uuid and t.uuid = any(${ids}::uuid[])`;
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * The id of the last segment after a position that comes before a segment and starts no later than `startTime`.
 * @param place.after null: from the first one
 */
export async function readLastBetween(
  tx: Tx,
  fileId: string,
  { after, nextId, startTime }: { after: number | null; nextId: string | null; startTime: number },
): Promise<string | null> {
  const [last] = await tx.$queryRaw<{ id: string }[]>`
    with following as not materialized (
      select uuid, start_time, position from transcript_segment
      where media_file_id = ${fileId}::uuid and position > coalesce(${after}::int, -2147483648)),
    later as (
      select position from following where uuid = ${nextId}::uuid or start_time > ${startTime}::float8
      order by position limit 1)
    select uuid::text as id from following
    where position < coalesce((select position from later), 2147483647)
    order by position desc limit 1`;
  return last?.id ?? null;
}

/** Free positions for `count` segments after one, or at the start. */
async function makeRoom(tx: Tx, fileId: string, afterId: string | null, count: number): Promise<number[]> {
  const after = afterId === null ? null : await tx.segment.findUnique({ where: { id: afterId } });
  const next = await tx.segment.findFirst({
    where: { fileId, ...(after && { position: { gt: after.position } }) },
    orderBy: { position: 'asc' },
  });
  const high = next?.position ?? (after?.position ?? 0) + gap * (count + 1);
  const low = after?.position ?? high - gap * (count + 1);
  const step = Math.floor((high - low) / (count + 1));
  if (step >= 1) return Array.from({ length: count }, (_, i) => low + step * (i + 1));
  await spreadPositions(tx, fileId);
  return makeRoom(tx, fileId, afterId, count);
}

/** Positions are unique at every moment, so they are moved in two steps. */
async function spreadPositions(tx: Tx, fileId: string): Promise<void> {
  await tx.$executeRaw`
    update transcript_segment set position = position - ${aside}::int where media_file_id = ${fileId}::uuid`;
  await tx.$executeRaw`
    update transcript_segment t set position = r.rank * ${gap}::int
    from (select uuid, row_number() over (order by position)::int as rank
          from transcript_segment where media_file_id = ${fileId}::uuid) r
    where t.uuid = r.uuid`;
}

/** A correction and the segments around it that it changed. */
export type Correction = {
  id: string;
  kinds: OperationKind[];
  before: SegmentState[];
  after: SegmentState[];
  reverts?: number;
};

/** Stores a correction in the history of the locked file. @returns its revision */
export async function addCorrection(tx: Tx, fileId: string, userId: string, correction: Correction): Promise<number> {
  const revision = (await lastRevision(tx, fileId)) + 1;
  await tx.transcriptOperation.create({ data: { ...correction, fileId, userId, revision } });
  return revision;
}

export async function lastRevision(tx: Db | Tx, fileId: string): Promise<number> {
  const { _max: last } = await tx.transcriptOperation.aggregate({ where: { fileId }, _max: { revision: true } });
  return last.revision ?? 0;
}

/** Of one segment by one correction, with room for scans and merged speakers. */
const mostChanges = 1_000;

/** Above each version from before a segment was removed: a page that knows it from then must not overwrite it. */
export async function versionOfRestored(tx: Tx, fileId: string): Promise<number> {
  return mostChanges * ((await lastRevision(tx, fileId)) + 1);
}

/** The correction that an undo and a redo of this account would revert. `before`: an undo passes over this revision. */
export async function readRevertible(tx: Tx, fileId: string, userId: string, before?: number) {
  const own = { fileId, userId, reverts: null, replaced: false };
  const undo = await tx.transcriptOperation.findFirst({
    where: { ...own, undoneIn: null, ...(before !== undefined && { revision: { lt: before } }) },
    orderBy: { revision: 'desc' },
    select: { revision: true },
  });
  const last = await tx.transcriptOperation.findFirst({
    where: own,
    orderBy: { revision: 'desc' },
    select: { revision: true },
  });
  const undone = await tx.transcriptOperation.findFirst({
    where: { ...own, undoneIn: { not: null } },
    orderBy: { undoneIn: 'desc' },
    select: { revision: true, undoneIn: true },
  });
  // A new correction after the undo takes its place.
  const canRedo = undone !== null && (undone.undoneIn ?? 0) > (last?.revision ?? 0);
  return { undo: undo?.revision ?? null, redo: canRedo ? undone.revision : null };
}

type Written = Pick<SegmentState, 'id' | 'text' | 'words' | 'speakerId' | 'startTime' | 'endTime' | 'confidence'> &
  Partial<Pick<SegmentState, 'redactions' | 'redactionKey' | 'edited'>> & { version?: number };

export async function updateSegment(tx: Tx, userId: string, { id, edited = true, ...data }: Written): Promise<void> {
  const marks = { edited, editedAt: edited ? new Date() : null, editedBy: edited ? userId : null };
  await tx.segment.update({ where: { id }, data: { ...data, ...marks, version: { increment: 1 } } });
}

/** The same for many segments in one statement. */
export async function updateSegments(tx: Tx, userId: string, rows: readonly Written[]): Promise<void> {
  await tx.$executeRaw`
    update transcript_segment t set
      text = r.text, words = r.words::jsonb, speaker_id = r.speaker, start_time = r.start, end_time = r."end",
      confidence = r.confidence, version = t.version + 1, edited = r.edited,
      edited_at = case when r.edited then now() end, edited_by = case when r.edited then ${userId}::uuid end,
      redactions = coalesce(r.redactions::jsonb, t.redactions),
      redaction_key = case when r.redactions is null then t.redaction_key else r.key end
    from unnest(
      ${rows.map(({ id }) => id)}::uuid[],
      ${rows.map(({ text }) => text)}::text[],
      ${rows.map(({ words }) => JSON.stringify(words))}::text[],
      ${rows.map(({ speakerId }) => speakerId)}::uuid[],
      ${rows.map(({ startTime }) => startTime)}::float8[],
      ${rows.map(({ endTime }) => endTime)}::float8[],
      ${rows.map(({ confidence }) => confidence)}::float8[],
      ${rows.map(({ edited = true }) => edited)}::bool[],
      ${rows.map(({ redactions }) => (redactions ? JSON.stringify(redactions) : null))}::text[],
      ${rows.map(({ redactionKey }) => redactionKey ?? null)}::text[]
    ) as r(uuid, text, words, speaker, start, "end", confidence, edited, redactions, key)
    where t.uuid = r.uuid`;
}

/** Inserts segments after one, or at the start, in their order. */
export async function insertSegments(
  tx: Tx,
  { fileId, userId, afterId }: { fileId: string; userId: string; afterId: string | null },
  rows: readonly Written[],
): Promise<void> {
  if (rows.length === 0) return;
  if ((await tx.segment.count({ where: { id: { in: rows.map(({ id }) => id) } } })) > 0)
    throw conflict('stale_version', 'There is already a passage with this id.');
  const positions = await makeRoom(tx, fileId, afterId, rows.length);
  await tx.segment.createMany({
    data: rows.map(({ edited = true, ...data }, i) => ({
      ...data,
      fileId,
      position: positions[i] ?? 0,
      edited,
      editedAt: edited ? new Date() : null,
      editedBy: edited ? userId : null,
    })),
  });
}
