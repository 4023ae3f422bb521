import { mediaEvents, type SegmentObject, type Word } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Db, Tx } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import type { People } from '../ports/people.ts';

type Row = {
  uuid: string;
  start_time: number;
  end_time: number;
  text: string;
  confidence: number | null;
  edited: boolean;
  edited_at: Date | null;
  edited_by: string | null;
  version: number;
  words: Word[];
  speaker_id: string | null;
  name: string | null;
  display_name: string | null;
};
type Page = { limit: number; offset: number; words: boolean };

/** A page of a file's transcript; without words, one page can hold ten hours of speech. */
export async function readSegments(
  db: Db | Tx,
  fileId: string,
  { limit, offset, words }: Page,
): Promise<{ segments: SegmentObject[]; total: number }> {
  const count = await db.segment.count({ where: { fileId } });
  if (limit === 0 || offset >= count) return { segments: [], total: count };
  const wordsColumn = words ? Prisma.sql`t.words` : Prisma.sql`'[]'::jsonb as words`;
  const rows = await db.$queryRaw<Row[]>`
    select t.uuid, t.start_time, t.end_time, t.text, t.confidence, t.edited, t.edited_at, t.edited_by, t.version, ${wordsColumn},
           t.speaker_id, s.name, s.display_name
    from transcript_segment t left join speaker s on s.uuid = t.speaker_id
    where t.media_file_id = ${fileId}::uuid order by t.position limit ${limit} offset ${offset}`;
  return { segments: rows.map(toSegmentObject), total: count };
}

/** One segment as an API object. */
export async function readSegment(db: Db | Tx, id: string): Promise<SegmentObject | undefined> {
  const rows = await db.$queryRaw<Row[]>`
    select t.uuid, t.start_time, t.end_time, t.text, t.confidence, t.edited, t.edited_at, t.edited_by, t.version, t.words,
           t.speaker_id, s.name, s.display_name
    from transcript_segment t left join speaker s on s.uuid = t.speaker_id where t.uuid = ${id}::uuid`;
  return rows[0] && toSegmentObject(rows[0]);
}

function toSegmentObject({ speaker_id: uuid, name, display_name, ...row }: Row): SegmentObject {
  return {
    ...row,
    edited_at: row.edited_at?.toISOString() ?? null,
    edited_by_name: null,
    speaker: uuid && name ? { uuid, name, display_name } : null,
  };
}

/** Adds the editors' names; null while identity does not respond. */
export async function withEditorNames(
  people: Pick<People, 'names'>,
  segments: SegmentObject[],
): Promise<SegmentObject[]> {
  const names = await people.names([...new Set(segments.flatMap(({ edited_by }) => edited_by ?? []))]);
  return segments.map((segment) => ({ ...segment, edited_by_name: names.get(segment.edited_by ?? '') ?? null }));
}

/**
 * Increments the transcript version after a change that readers and search show.
 * @returns the new version; 0 while there is no transcript.
 */
export async function markEdited(
  tx: Tx,
  outbox: Outbox,
  file: { id: string; userId: string; status: string; transcriptVersion: number },
): Promise<number> {
  const ids = { fileId: file.id, ownerId: file.userId };
  const updatedAt = new Date();
  if (file.transcriptVersion === 0) {
    // Without a transcript only the file itself changes.
    await tx.mediaFile.update({ where: { id: file.id }, data: { updatedAt } });
    await outbox.add(tx, mediaEvents.updated, { ...ids, status: file.status as 'uploaded' });
    return 0;
  }
  const transcriptVersion = file.transcriptVersion + 1;
  await tx.mediaFile.update({ where: { id: file.id }, data: { transcriptVersion, updatedAt } });
  await outbox.add(tx, mediaEvents.transcriptEdited, { ...ids, transcriptVersion });
  return transcriptVersion;
}

/** The mean confidence of the words that have one; null when none has. */
export function meanConfidence(words: readonly Word[]): number | null {
  const known = words.flatMap(({ confidence }) => (confidence === null ? [] : [confidence]));
  return known.length === 0 ? null : known.reduce((sum, c) => sum + c, 0) / known.length;
}
