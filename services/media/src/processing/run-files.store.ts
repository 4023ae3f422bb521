import { mediaEvents, type FileObject } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { ObjectStore } from '@overtone/object-store';
import type { Delivery } from '@overtone/service-kit';
import { lockFileRow } from '../access/access.store.ts';
import { txOptions, type Db, type Tx } from '../database.ts';
import { idsOf, objectPrefixes, resetColumns, type FileRow } from '../files/files.ts';
import type { Prisma } from '../generated/client.ts';
import { compareRun } from './processing.ts';

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
      }, txOptions);
      if (!found) for (const prefix of objectPrefixes(event.fileId)) await objects.deletePrefix(prefix);
    },

    /** Saves the change with the version of the transcript that was just stored. */
    saveTranscript: async (
      tx: Tx,
      file: FileRow,
      { runId, provisional, change }: { runId: string; provisional: boolean; change: FileChange },
    ): Promise<void> => {
      const transcriptVersion = file.transcriptVersion + 1;
      const transcript = { transcriptVersion, transcriptRunId: runId, transcriptProvisional: provisional };
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
 * file in the bin, whose row must not change.
 */
async function adoptRun(tx: Tx, { fileId, runId }: RunEvent, { time }: EventTime): Promise<FileRow | undefined> {
  await lockFileRow(tx, fileId);
  const file = await tx.mediaFile.findUnique({ where: { id: fileId } });
  if (!file || file.deletedAt) return undefined;
  const relation = compareRun(file, { runId, time });
  if (relation === 'obsolete') return undefined;
  if (relation === 'current') return file;
  const begin = { ...resetColumns, warnings: [], runTurnedAt: null, stageChangedAt: null };
  const data = { ...begin, runId, runOpenedAt: time, runSequence: 0, status: 'queued' };
  return tx.mediaFile.update({ where: { id: fileId }, data });
}
