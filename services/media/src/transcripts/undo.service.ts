import { mediaEvents, type FileObject } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { assertNever, conflict, notFound, type Caller } from '@overtone/service-kit';
import { lockedFile } from '../access/access.store.ts';
import { idsOf } from '../files/files.ts';
import type { Db, Tx } from '../database.ts';
import { Prisma, type MediaFile } from '../generated/client.ts';
import { scanStored } from '../redaction/redaction.store.ts';
import { nextLabel, undoMs, type Before, type SegmentBefore } from './transcripts.ts';
import { markEdited } from './transcripts.store.ts';

const batchSize = 2_000;

type BeforeOf<K extends Before['kind']> = Extract<Before, { kind: K }>;

/** Undoes a transcript change, once, and only if it was not changed again since. */
export function createUndo({ db, outbox }: { db: Db; outbox: Outbox }) {
  return {
    undo: (caller: Caller, fileId: string, id: string) =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, caller, fileId, 'edit');
        const change = await tx.change.findUnique({ where: { id } });
        if (!change || change.fileId !== fileId || change.userId !== caller.userId)
          throw notFound('This change can no longer be undone.');
        const kind = change.kind as Before['kind'];
        if (change.undoneAt) return { kind, transcript_version: file.transcriptVersion };
        await restore(tx, file, change.before as Before);
        await tx.change.update({ where: { id }, data: { undoneAt: new Date() } });
        const version = await markEdited(tx, outbox, file);
        if (kind === 'transcript_imported') await finishRestored(tx, outbox, fileId);
        return { kind, transcript_version: version };
      }),

    deleteOld: async (): Promise<void> => {
      await db.change.deleteMany({ where: { createdAt: { lt: new Date(Date.now() - undoMs) } } });
    },
  };
}

/** Scans what the undo of an import has restored, and reports its status, which may be that of a failed run. */
async function finishRestored(tx: Tx, outbox: Outbox, fileId: string): Promise<void> {
  const restored = await tx.mediaFile.findUniqueOrThrow({ where: { id: fileId } });
  const row = await tx.mediaFile.update({ where: { id: fileId }, data: await scanStored(tx, restored) });
  await outbox.add(tx, mediaEvents.updated, { ...idsOf(row), status: row.status as FileObject['status'] });
}

function changedSince() {
  return conflict('stale_version', 'This was changed again since. Undoing it would lose the later change.');
}

function restore(tx: Tx, file: MediaFile, before: Before): Promise<void> {
  const fileId = file.id;
  switch (before.kind) {
    case 'segment_edited':
      return restoreEdited(tx, before);
    case 'segment_deleted':
      return restoreSegment(tx, fileId, before.segment);
    case 'speaker_merged':
      return restoreSpeaker(tx, fileId, before, before.targetId);
    case 'speaker_deleted':
      return restoreSpeaker(tx, fileId, before, null);
    case 'transcript_imported':
      return restoreTranscript(tx, file, before);
    default:
      return assertNever(before);
  }
}

async function restoreEdited(tx: Tx, { segment, after }: BeforeOf<'segment_edited'>): Promise<void> {
  const current = await tx.segment.findUnique({ where: { id: segment.id } });
  if (current?.text !== after.text || current.speakerId !== after.speakerId) throw changedSince();
  const { text, words, confidence, edited, editedAt, editedBy, redactions = [], redactionKey = null } = segment;
  const speakerId = await existingSpeaker(tx, segment.speakerId);
  await tx.segment.update({
    where: { id: segment.id },
    data: {
      text,
      words,
      confidence,
      edited,
      editedAt,
      editedBy,
      redactions,
      redactionKey,
      speakerId,
      version: { increment: 1 },
    },
  });
}

async function restoreSegment(tx: Tx, fileId: string, segment: SegmentBefore): Promise<void> {
  const { version, ...row } = segment;
  const speakerId = await existingSpeaker(tx, segment.speakerId);
  await tx.segment.create({ data: { ...row, fileId, speakerId, version: version + 1 } });
}

async function restoreSpeaker(
  tx: Tx,
  fileId: string,
  { speaker, segmentIds }: BeforeOf<'speaker_merged'> | BeforeOf<'speaker_deleted'>,
  assignedTo: string | null,
): Promise<void> {
  const labels = (await tx.speaker.findMany({ where: { fileId } })).map(({ name }) => name);
  const name = labels.includes(speaker.name) ? nextLabel(labels) : speaker.name;
  await tx.speaker.create({ data: { ...speaker, name, fileId } });
  // Segments assigned to another speaker since then are left alone.
  await tx.segment.updateMany({
    where: { fileId, id: { in: segmentIds }, speakerId: assignedTo },
    data: { speakerId: speaker.id, version: { increment: 1 } },
  });
}

/** Puts back the whole transcript that an import replaced, with its speakers. */
async function restoreTranscript(
  tx: Tx,
  file: MediaFile,
  { file: columns, speakers, segments, after }: BeforeOf<'transcript_imported'>,
): Promise<void> {
  if (file.transcriptVersion !== after.transcriptVersion) throw changedSince();
  const fileId = file.id;
  await tx.segment.deleteMany({ where: { fileId } });
  await tx.speaker.deleteMany({ where: { fileId } });
  await tx.speaker.createMany({ data: speakers.map((speaker) => ({ ...speaker, fileId })) });
  for (let from = 0; from < segments.length; from += batchSize) {
    const batch = segments.slice(from, from + batchSize);
    await tx.segment.createMany({ data: batch.map((row) => ({ ...row, fileId, version: row.version + 1 })) });
  }
  const { engine, error, ...more } = columns;
  const data = { ...more, engine: engine ?? Prisma.DbNull, error: error ?? Prisma.DbNull };
  await tx.mediaFile.update({ where: { id: fileId }, data });
}

/** The speaker, or null when it was removed since. */
async function existingSpeaker(tx: Tx, id: string | null): Promise<string | null> {
  return id !== null && (await tx.speaker.count({ where: { id } })) > 0 ? id : null;
}
