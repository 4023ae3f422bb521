import { mediaEvents, type SegmentObject, type speakerObject } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { z } from 'zod';
import type { Db, Tx } from '../database.ts';
import { idsOf } from '../files/files.ts';
import { Prisma } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';
import { maskSegment, maskSpeaker, type FoundSpan, type Mask } from '../redaction/redaction.ts';
import { isScanned } from '../redaction/redaction.store.ts';
import { markAccuracyDue } from './accuracy.store.ts';
import { undoMs, type Before } from './transcripts.ts';

type Row = Omit<SegmentObject, 'edited_at' | 'edited_by_name' | 'speaker' | 'redactions' | 'withheld'> & {
  found: FoundSpan[];
  scanned: boolean;
  edited_at: Date | null;
  speaker_id: string | null;
  name: string | null;
  display_name: string | null;
};
/** `mask`: what the reader does not see; every reader of text passes one. */
export type SegmentPage = { limit: number; offset: number; words: boolean; mask: Mask };
export type SpeakerObject = z.infer<typeof speakerObject>;
export type Undo = { uuid: string; expires_at: string };
type EditedFile = { id: string; userId: string; status: string; transcriptVersion: number };

/** A page of a file's transcript; without words, one page can hold ten hours of speech. */
export async function readSegments(
  db: Db | Tx,
  fileId: string,
  { limit, offset, words, mask }: SegmentPage,
): Promise<{ segments: SegmentObject[]; total: number }> {
  const total = await db.segment.count({ where: { fileId } });
  if (limit === 0 || offset >= total) return { segments: [], total };
  const page = Prisma.sql`t.media_file_id = ${fileId}::uuid order by t.position limit ${limit} offset ${offset}`;
  return { segments: await selectSegments(db, page, { words, mask }), total };
}

const pageSize = 2000;

/** A file's transcript, some passages at a time. @param limit only so many of them. */
export async function* readPages(
  db: Db | Tx,
  fileId: string,
  { mask, words, limit = Infinity }: Pick<SegmentPage, 'mask' | 'words'> & { limit?: number },
): AsyncGenerator<SegmentObject[]> {
  for (let [offset, total] = [0, 1]; offset < Math.min(total, limit);) {
    const page = await readSegments(db, fileId, { limit: Math.min(pageSize, limit - offset), offset, words, mask });
    if (page.segments.length === 0) return;
    yield page.segments;
    [offset, total] = [offset + page.segments.length, page.total];
  }
}

/** These segments of a file, in its order. */
export function readSegmentsById(
  db: Db | Tx,
  fileId: string,
  ids: readonly string[],
  mask: Mask,
): Promise<SegmentObject[]> {
  const some = Prisma.sql`t.media_file_id = ${fileId}::uuid and t.uuid = any(${ids}::uuid[]) order by t.position`;
  return selectSegments(db, some, { words: true, mask });
}

/** The segments at these times, in their order. */
export function readSegmentsAt(
  db: Db | Tx,
  fileId: string,
  places: readonly { startMs: number; endMs: number }[],
  mask: Mask,
): Promise<SegmentObject[]> {
  const ranges = places.filter(({ startMs, endMs }) => endMs > startMs);
  if (ranges.length === 0) return Promise.resolve([]);
  const some = Prisma.sql`t.media_file_id = ${fileId}::uuid and exists (
      select 1 from unnest(${ranges.map(({ startMs }) => startMs)}::int[], ${ranges.map(({ endMs }) => endMs)}::int[]) as r(a, b)
      where t.start_time * 1000 < r.b and t.end_time * 1000 > r.a) order by t.position`;
  return selectSegments(db, some, { words: true, mask });
}

async function selectSegments(
  db: Db | Tx,
  condition: Prisma.Sql,
  { words, mask }: Pick<SegmentPage, 'words' | 'mask'>,
): Promise<SegmentObject[]> {
  const wordsColumn = words ? Prisma.sql`t.words` : Prisma.sql`'[]'::jsonb as words`;
  const rows = await db.$queryRaw<Row[]>`
    select t.uuid, t.start_time, t.end_time, t.text, t.confidence, t.edited, t.edited_at, t.edited_by, t.version, ${wordsColumn},
           t.speaker_id, s.name, s.display_name, t.redactions as found, ${isScanned} as scanned
    from transcript_segment t left join speaker s on s.uuid = t.speaker_id where ${condition}`;
  return rows.map(({ speaker_id: uuid, name, display_name, found, scanned, ...row }) => {
    const segment = {
      ...row,
      edited_at: row.edited_at?.toISOString() ?? null,
      edited_by_name: null,
      speaker: uuid && name ? { uuid, name, display_name } : null,
    };
    return maskSegment(segment, { found, scanned }, mask);
  });
}

/** Whether a request with this id has corrected the file. */
export async function isCorrected(db: Db | Tx, fileId: string, id: string): Promise<boolean> {
  return (await db.transcriptOperation.count({ where: { fileId, id } })) > 0;
}

/** Adds the editors' names; null while identity does not respond. */
export async function withEditorNames<S extends SegmentObject>(
  people: Pick<People, 'names'>,
  segments: S[],
): Promise<S[]> {
  const names = await people.names(segments.flatMap(({ edited_by }) => edited_by ?? []));
  return segments.map((segment) => ({ ...segment, edited_by_name: names.get(segment.edited_by ?? '') ?? null }));
}

/** The file's speakers in order of their labels, with the seconds each one speaks. */
export async function listSpeakers(db: Db | Tx, fileId: string, mask: Mask): Promise<SpeakerObject[]> {
  const rows = await db.$queryRaw<SpeakerObject[]>`
    select s.uuid, s.name, s.display_name, coalesce(sum(t.end_time - t.start_time), 0)::float8 as talk_time
    from speaker s left join transcript_segment t on t.speaker_id = s.uuid
    where s.media_file_id = ${fileId}::uuid group by s.uuid order by s.name`;
  return rows.map((row) => maskSpeaker({ ...row, talk_time: Math.round(row.talk_time * 100) / 100 }, mask));
}

/** Records a change with the state before it, so that it can be undone, and marks the file as edited. */
export async function recordEdit(
  tx: Tx,
  outbox: Outbox,
  { file, userId, before }: { file: EditedFile; userId: string; before: Before },
): Promise<Undo> {
  const undo = await recordChange(tx, { fileId: file.id, userId, before });
  await markEdited(tx, outbox, file, userId);
  return undo;
}

/** Stores the state before a change, so that it can be undone. */
export async function recordChange(
  tx: Tx,
  { fileId, userId, before }: { fileId: string; userId: string; before: Before },
): Promise<Undo> {
  const { id, createdAt } = await tx.change.create({ data: { fileId, userId, kind: before.kind, before } });
  return { uuid: id, expires_at: new Date(createdAt.getTime() + undoMs).toISOString() };
}

/** The transcript is about to be replaced: its corrections stay in the history, and nothing of it can be undone any more. */
export async function closeChanges(tx: Tx, fileId: string): Promise<void> {
  await tx.change.deleteMany({ where: { fileId } });
  await tx.transcriptOperation.updateMany({ where: { fileId, replaced: false }, data: { replaced: true } });
  await tx.namedVersion.updateMany({ where: { fileId, replaced: false }, data: { replaced: true } });
}

/** Increments the transcript version after a change of what is masked. Nothing was edited: an import can still be undone. */
export async function markMasked(tx: Tx, outbox: Outbox, file: EditedFile): Promise<number> {
  const version = await markEdited(tx, outbox, file, null);
  await tx.$executeRaw`
    update transcript_change set before = jsonb_set(before, '{after,transcriptVersion}', to_jsonb(${version}::int))
    where media_file_id = ${file.id}::uuid and kind = 'transcript_imported' and undone_at is null
      and before #>> '{after,transcriptVersion}' = ${String(file.transcriptVersion)}`;
  return version;
}

/**
 * Increments the transcript version after a change that readers and search show.
 * @param editedBy the person who made the change; null: the service itself.
 * @returns the new version; 0 while there is no transcript.
 */
export async function markEdited(tx: Tx, outbox: Outbox, file: EditedFile, editedBy: string | null): Promise<number> {
  const updatedAt = new Date();
  const edit = editedBy === null ? {} : { lastEditedBy: editedBy, lastEditedAt: updatedAt };
  if (file.transcriptVersion === 0) {
    // Without a transcript only the file itself changes.
    await tx.mediaFile.update({ where: { id: file.id }, data: { ...edit, updatedAt } });
    await outbox.add(tx, mediaEvents.updated, { ...idsOf(file), status: file.status as 'uploaded' });
    return 0;
  }
  const transcriptVersion = file.transcriptVersion + 1;
  await tx.mediaFile.update({ where: { id: file.id }, data: { ...edit, transcriptVersion, updatedAt } });
  if (editedBy !== null) await markAccuracyDue(tx, file.id);
  await outbox.add(tx, mediaEvents.transcriptEdited, { ...idsOf(file), transcriptVersion, editedBy });
  return transcriptVersion;
}
