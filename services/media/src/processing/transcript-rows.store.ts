import type { Word } from '@overtone/contracts';
import type { Tx } from '../database.ts';
import type { FileRow } from '../files/files.ts';
import type { EditedSegment, NewSegment } from './segments.ts';

const batchSize = 2_000;

/** Replaces a locked file's transcript; changes of the earlier one can no longer be undone. */
export async function replaceTranscript(
  tx: Tx,
  fileId: string,
  { speakers, segments }: { speakers: string[]; segments: NewSegment[] },
): Promise<void> {
  await tx.change.deleteMany({ where: { fileId } });
  await tx.$executeRaw`delete from transcript_segment where media_file_id = ${fileId}::uuid`;
  await tx.$executeRaw`delete from speaker where media_file_id = ${fileId}::uuid`;
  const rows = await tx.speaker.createManyAndReturn({ data: speakers.map((name) => ({ fileId, name })) });
  const ids = speakers.map((name) => rows.find((row) => row.name === name)?.id ?? '');
  for (let from = 0; from < segments.length; from += batchSize) {
    await insertBatch(tx, fileId, segments.slice(from, from + batchSize), from, ids);
  }
}

/** Inserts thousands of rows in one statement; single inserts take seconds for ten hours of speech. */
function insertBatch(tx: Tx, fileId: string, segments: NewSegment[], from: number, speakerIds: string[]) {
  return tx.$executeRaw`
    insert into transcript_segment
      (uuid, media_file_id, speaker_id, position, start_time, end_time, text, confidence, words, edited, edited_at, edited_by,
       version)
    select coalesce(r.uuid, gen_random_uuid()), ${fileId}::uuid, r.speaker_id, r.position, r.start_time, r.end_time,
           r.text, r.confidence, r.words::jsonb, r.uuid is not null, r.edited_at, r.edited_by, r.version
    from unnest(
      ${segments.map(({ keptId }) => keptId ?? null)}::uuid[],
      ${segments.map(({ speaker }) => (speaker === null ? null : (speakerIds[speaker] ?? null)))}::uuid[],
      ${segments.map((_, i) => from + i)}::int[],
      ${segments.map(({ start }) => start)}::float8[],
      ${segments.map(({ end }) => end)}::float8[],
      ${segments.map(({ text }) => text.replaceAll('\0', ''))}::text[],
      ${segments.map(({ confidence }) => confidence)}::float8[],
      ${segments.map(({ words }) => JSON.stringify(words).replaceAll('\\u0000', ''))}::text[],
      ${segments.map(({ editedAt }) => editedAt ?? null)}::timestamptz[],
      ${segments.map(({ editedBy }) => editedBy ?? null)}::uuid[],
      ${segments.map(({ version }) => version ?? 1)}::int[]
    ) as r(uuid, speaker_id, position, start_time, end_time, text, confidence, words, edited_at, edited_by, version)`;
}

/** Removes the segments that no user has edited. @returns their number. */
export async function removeUnedited(tx: Tx, fileId: string): Promise<number> {
  return (await tx.segment.deleteMany({ where: { fileId, edited: false } })).count;
}

/** The segments that users have edited since the run was opened. */
export async function readEdits(tx: Tx, file: FileRow): Promise<EditedSegment[]> {
  const since = file.runOpenedAt ?? new Date(0);
  const rows = await tx.segment.findMany({
    where: { fileId: file.id, edited: true, editedAt: { gte: since } },
    orderBy: { position: 'asc' },
  });
  return rows.map(({ id, startTime: start, endTime: end, text, words, confidence, version, editedAt, editedBy }) => ({
    id,
    start,
    end,
    text,
    confidence,
    version,
    editedAt,
    editedBy,
    words: words as Word[],
  }));
}
