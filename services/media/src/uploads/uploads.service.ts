import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { mediaEvents, type FileObject } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { ObjectStore } from '@overtone/object-store';
import { isAppError, type Log } from '@overtone/service-kit';
import { txOptions, type Db } from '../database.ts';
import { auditAction, noClient, type Actor } from '../audit/audit.ts';
import { originalKey, toFileObject } from '../files/files.ts';
import type { Telemetry } from '../telemetry.ts';
import { createInspection, type Inspection } from './inspect.ts';
import { checkedFilename, runOptionsOf, titleOf, uploadErrors, type UploadOptions } from './uploads.ts';
import { uploadsStore as store } from './uploads.store.ts';

export type UploadsDeps = {
  db: Db;
  outbox: Outbox;
  objects: Pick<ObjectStore, 'put' | 'delete'>;
  telemetry: Telemetry;
  log: Log;
  maxBytes: number;
};
export type IncomingUpload = {
  /** Given for a resumable upload, so that finishing it twice creates one file. */
  id?: string;
  userId: string;
  filename: string | undefined;
  declaredType: string;
  body: Readable | AsyncIterable<Buffer>;
  /** Called after the file's last byte, because fields may follow it; rejects when the body was truncated. */
  options: () => Promise<UploadOptions>;
  signal?: AbortSignal;
  /** Where the request came from; absent when an interrupted upload is finished later. */
  client?: Actor['client'];
};

/** Receives recordings: stores the object first, then row and event in one transaction. */
export function createUploads({ db, outbox, objects, telemetry, log, maxBytes }: UploadsDeps) {
  const discard = async (id: string): Promise<void> => {
    try {
      // A commit may have succeeded although its response was lost: then the object is needed.
      if (!(await store.find(db, id))) await objects.delete(originalKey(id));
    } catch (err) {
      log.warn({ err: err as Error, file_id: id }, 'rejected upload cleanup failed');
    }
  };

  const complete = (
    file: Pick<IncomingUpload, 'userId' | 'client'> &
      Inspection & { id: string; filename: string; options: UploadOptions },
  ) =>
    db.$transaction(async (tx) => {
      const { id, userId, filename, options } = file;
      const existing = await store.find(tx, id);
      if (existing) return toFileObject(existing, 'owner');
      await store.lockHash(tx, userId, file.sha256);
      const duplicate = options.allow_duplicate === 'true' ? null : await store.findDuplicate(tx, userId, file.sha256);
      if (duplicate) throw uploadErrors.duplicate(duplicate.id);
      const run = runOptionsOf(options);
      const objectKey = originalKey(id);
      const row = await store.insert(tx, {
        id,
        userId,
        filename,
        title: options.title?.trim() || titleOf(filename),
        objectKey,
        contentType: file.contentType,
        fileSize: BigInt(file.bytes),
        fileHash: file.sha256,
        recordedDate: options.recorded_date ? new Date(options.recorded_date) : null,
        language: run.language,
        options: run,
      });
      const { contentType, bytes } = file;
      const event = {
        fileId: id,
        ownerId: userId,
        objectKey,
        contentType,
        bytes,
        source: 'upload' as const,
        options: run,
      };
      await outbox.add(tx, mediaEvents.uploaded, event);
      const actor = { userId, client: file.client ?? noClient };
      await auditAction(tx, outbox, 'file_uploaded', { file: row, actor, details: { bytes } });
      return toFileObject(row, 'owner');
    }, txOptions);

  return {
    maxBytes,
    /**
     * Stores the recording and requests its processing. @throws AppError when it is rejected; its object is then deleted,
     * or removed within a day if the store did not respond.
     */
    receive: async (incoming: IncomingUpload): Promise<FileObject> => {
      const id = incoming.id ?? randomUUID();
      const filename = checkedFilename(incoming.filename);
      const { see, result } = createInspection({ declared: incoming.declaredType, maxBytes });
      try {
        const { userId, signal, client = noClient } = incoming;
        await objects.put(originalKey(id), incoming.body, { see, ...(signal ? { signal } : {}) });
        const file = { id, userId, client, filename, options: await incoming.options(), ...result() };
        const uploadedFile = await complete(file);
        telemetry.filesUploaded.inc({ source: 'upload' });
        return uploadedFile;
      } catch (error) {
        // An unresponsive store could execute the deletion late, after the same upload was stored again: its objects are
        // removed with the orphans.
        if (!isAppError(error) || error.code !== 'storage_unavailable') await discard(id);
        throw error;
      }
    },
  };
}

export type Uploads = ReturnType<typeof createUploads>;
