import { mediaEvents, type FileObject, type Word } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { ObjectStore } from '@overtone/object-store';
import type { Delivery } from '@overtone/service-kit';
import { isQuarantined } from '../access/access.ts';
import { lockFileRow } from '../access/access.store.ts';
import type { Db, Tx } from '../database.ts';
import { idsOf, objectPrefixes, resetColumns, type FileRow } from '../files/files.ts';
import type { Prisma } from '../generated/client.ts';
import { readMaskVersion } from '../redaction/redaction.store.ts';
import { closeChanges } from '../transcripts/transcripts.store.ts';
import { compareRun } from './processing.ts';
import type { EditedSegment, NewSegment } from './segments.ts';

const batchSize = 2_000;
/** The times of one-letter words are 40 times as long as their text, and several copies of a batch are in memory. */
const batchLetters = 100_000;

export type RunEvent = { runId: string; fileId: string };
export type EventTime = Pick<Delivery, 'time'>;
export type FileChange = Prisma.MediaFileUncheckedUpdateInput;

export type RunFilesDeps = { db: Db; outbox: Outbox; objects: Pick<ObjectStore, 'get' | 'deletePrefix'> };

/** The files of run events. Every change of a row is published in its transaction. */
export function createRunFiles({ db, outbox, objects }: RunFilesDeps) {
  const save = async (tx: Tx, file: FileRow, change: FileChange): Promise<void> => {
    const row = await tx.mediaFile.update({ where: { id: file.id }, data: { ...change, updatedAt: new Date() } });
    const status = row.status as FileObject['status'];
    await outbox.add(tx, mediaEvents.updated, { ...idsOf(file), status });
  };

  return {
    save,

    /** Runs `work` on the event's file; deletes the objects of a deleted file's run. */
    withFile: async (
      event: RunEvent,
      eventTime: EventTime,
      work: (tx: Tx, file: FileRow) => Promise<void>,
    ): Promise<void> => {
      const found = await db.$transaction(async (tx) => {
        const file = await adoptRun(tx, event, eventTime);
        if (file) await work(tx, file);
        return file !== undefined || (await tx.mediaFile.count({ where: { id: event.fileId } })) > 0;
      });
      if (!found) for (const prefix of objectPrefixes(event.fileId)) await objects.deletePrefix(prefix);
    },

    /** Saves the change with the version of the transcript that was just stored. */
    saveTranscript: async (
      tx: Tx,
      file: FileRow,
      { runId, provisional, change }: { runId: string; provisional: boolean; change: FileChange },
    ): Promise<void> => {
      const transcriptVersion = file.transcriptVersion + 1;
      const transcript = {
        transcriptVersion,
        transcriptRunId: runId,
        transcriptProvisional: provisional,
        redactionMaskVersion: await readMaskVersion(tx),
      };
      await save(tx, file, { ...change, ...transcript });
      const stored = { ...idsOf(file), runId, transcriptVersion, provisional };
      await outbox.add(tx, mediaEvents.transcriptStored, stored);
    },

    /** Reports a stored transcript again, for a dispatcher that has not received the report. */
    reportAgain: (tx: Tx, file: FileRow, runId: string): Promise<void> => {
      const { transcriptVersion } = file;
      const stored = { ...idsOf(file), runId, transcriptVersion, provisional: false };
      return outbox.add(tx, mediaEvents.transcriptStored, stored);
    },
  };
}

export type RunFiles = ReturnType<typeof createRunFiles>;

/**
 * The locked file of the event, switched to the event's run if that is newer; undefined for an obsolete event, and for a
 * file in the bin or in quarantine, whose row must not change.
 */
async function adoptRun(tx: Tx, { fileId, runId }: RunEvent, { time }: EventTime): Promise<FileRow | undefined> {
  await lockFileRow(tx, fileId);
  const file = await tx.mediaFile.findUnique({ where: { id: fileId } });
  if (!file || file.deletedAt || isQuarantined(file)) return undefined;
  const relation = compareRun(file, { runId, time });
  if (relation === 'obsolete') return undefined;
  if (relation === 'current') return file;
  const begin = { ...resetColumns, warnings: [], runTurnedAt: null, stageChangedAt: null };
  const data = { ...begin, runId, runOpenedAt: time, runSequence: 0, status: 'queued' };
  return tx.mediaFile.update({ where: { id: fileId }, data });
}

/** Replaces a locked file's transcript; changes of the earlier one can no longer be undone. */
export async function replaceTranscript(
  tx: Tx,
  fileId: string,
  { speakers, segments }: { speakers: string[]; segments: NewSegment[] },
): Promise<void> {
  await closeChanges(tx, fileId);
  await tx.$executeRaw`delete from transcript_segment where media_file_id = ${fileId}::uuid`;
  await tx.$executeRaw`delete from speaker where media_file_id = ${fileId}::uuid`;
  const rows = await tx.speaker.createManyAndReturn({ data: speakers.map((name) => ({ fileId, name })) });
  const ids = speakers.map((name) => rows.find((row) => row.name === name)?.id ?? '');
  await insertSegments(tx, fileId, segments, ids);
}

/** `words`: a list, or the JSON text that is stored. */
type StoredSegment = Omit<NewSegment, 'words'> & { words: NewSegment['words'] | string };

/** Inserts the segments of a file that has none; `speaker` of a segment is an index into the ids. */
export async function insertSegments(
  tx: Tx,
  fileId: string,
  segments: readonly StoredSegment[],
  speakerIds: string[],
): Promise<void> {
  let batch: StoredSegment[] = [];
  let letters = 0;
  for (const [i, segment] of segments.entries()) {
    batch.push(segment);
    letters += segment.text.length;
    if (batch.length < batchSize && letters < batchLetters && i < segments.length - 1) continue;
    await insertBatch(tx, fileId, batch, i + 1 - batch.length, speakerIds);
    [batch, letters] = [[], 0];
  }
}

/** Inserts thousands of rows in one statement; single inserts take seconds for ten hours of speech. */
function insertBatch(tx: Tx, fileId: string, segments: StoredSegment[], from: number, speakerIds: string[]) {
  return tx.$executeRaw`
    insert into transcript_segment
      (uuid, media_file_id, speaker_id, position, start_time, end_time, text, confidence, words, edited, edited_at, edited_by,
       version, redactions, redaction_key)
    select coalesce(r.uuid, gen_random_uuid()), ${fileId}::uuid, r.speaker_id, r.position, r.start_time, r.end_time,
           r.text, r.confidence, r.words::jsonb, r.uuid is not null, r.edited_at, r.edited_by, r.version,
           r.redactions::jsonb, r.redaction_key
    from unnest(
      ${segments.map(({ keptId }) => keptId ?? null)}::uuid[],
      ${segments.map(({ speaker }) => (speaker === null ? null : (speakerIds[speaker] ?? null)))}::uuid[],
      ${segments.map((_, i) => from + i)}::int[],
      ${segments.map(({ start }) => start)}::float8[],
      ${segments.map(({ end }) => end)}::float8[],
      ${segments.map(({ text }) => text.replaceAll('\0', ''))}::text[],
      ${segments.map(({ confidence }) => confidence)}::float8[],
      ${segments.map(({ words }) => (typeof words === 'string' ? words : JSON.stringify(words)).replaceAll('\\u0000', ''))}::text[],
      ${segments.map(({ editedAt }) => editedAt ?? null)}::timestamptz[],
      ${segments.map(({ editedBy }) => editedBy ?? null)}::uuid[],
      ${segments.map(({ version }) => version ?? 1)}::int[],
      ${segments.map(({ redactions }) => JSON.stringify(redactions ?? []))}::text[],
      ${segments.map(({ redactionKey }) => redactionKey ?? null)}::text[]
    ) as r(uuid, speaker_id, position, start_time, end_time, text, confidence, words, edited_at, edited_by, version,
           redactions, redaction_key)`;
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
  return rows.map(({ id, startTime, endTime, words, ...row }) => ({
    ...row,
    keptId: id,
    start: startTime,
    end: endTime,
    words: words as Word[],
  }));
}
