import { randomUUID } from 'node:crypto';
import { mediaEvents, type FileObject } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, notFound, type Caller } from '@overtone/service-kit';
import { lockedFile } from '../access/access.store.ts';
import { idsOf } from '../files/files.ts';
import type { Db, Tx } from '../database.ts';
import { Prisma, type MediaFile } from '../generated/client.ts';
import { scanStored } from '../redaction/redaction.store.ts';
import { revertCorrection } from './revert.ts';
import { nextLabel, undoMs, type Before } from './transcripts.ts';
import { markEdited } from './transcripts.store.ts';

const batchSize = 2_000;

type BeforeOf<K extends Before['kind']> = Extract<Before, { kind: K }>;

/** Undoes a transcript change, once, and only if it was not changed again since. */
export function createUndo({ db, outbox }: { db: Db; outbox: Outbox }) {
  return {
    undo: (caller: Caller, fileId: string, id: string) =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, caller, fileId, 'edit');
        const correction = await undoCorrection(tx, caller, { fileId, id });
        if (correction) {
          const version = correction.changed
            ? await markEdited(tx, outbox, file, caller.userId)
            : file.transcriptVersion;
          return { kind: correction.kind, transcript_version: version };
        }
        const change = await tx.change.findUnique({ where: { id } });
        if (!change || change.fileId !== fileId || change.userId !== caller.userId) throw noSuchChange();
        const kind = change.kind as Before['kind'];
        if (change.undoneAt) return { kind, transcript_version: file.transcriptVersion };
        await restore(tx, file, change.before as Before);
        await tx.change.update({ where: { id }, data: { undoneAt: new Date() } });
        const version = await markEdited(tx, outbox, file, caller.userId);
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

/** Undoes a correction of segments by its id, within a day. @returns nothing when there is no such correction. */
async function undoCorrection(tx: Tx, { userId }: Caller, { fileId, id }: { fileId: string; id: string }) {
  const row = await tx.transcriptOperation.findUnique({ where: { fileId_id: { fileId, id } } });
  if (!row) return undefined;
  const isOpen = row.userId === userId && !row.replaced && row.createdAt.getTime() > Date.now() - undoMs;
  if (!isOpen) throw noSuchChange();
  const kind = row.kinds.includes('delete') ? ('segment_deleted' as const) : ('segment_edited' as const);
  if (row.undoneIn !== null) return { kind, changed: false };
  await revertCorrection(tx, { fileId, revision: row.revision, userId, uuid: randomUUID() });
  return { kind, changed: true };
}

function noSuchChange() {
  return notFound('This change can no longer be undone.');
}

function changedSince() {
  return conflict('stale_version', 'This was changed again since. Undoing it would lose the later change.');
}

function restore(tx: Tx, file: MediaFile, before: Before): Promise<void> {
  const fileId = file.id;
  switch (before.kind) {
    case 'speaker_merged':
      return restoreSpeaker(tx, fileId, before, before.targetId);
    case 'speaker_deleted':
      return restoreSpeaker(tx, fileId, before, null);
    case 'transcript_imported':
      return restoreTranscript(tx, file, before);
    default:
      // Stored by an older release.
      throw noSuchChange();
  }
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
