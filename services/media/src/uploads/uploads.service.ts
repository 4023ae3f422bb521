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
import { createInspection, type Inspected } from './inspect.ts';
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
export type Incoming = {
  /** Known beforehand for a resumable upload, so that finishing it twice makes one file. */
  id?: string;
  userId: string;
  filename: string | undefined;
  declaredType: string;
  body: Readable | AsyncIterable<Buffer>;
  /** Asked for when the file has ended. Fields may come after it; fails when what brought the file was cut off there. */
  options: () => Promise<UploadOptions>;
  signal?: AbortSignal;
  /** Where the request came from; absent when an interrupted upload is finished later. */
  client?: Actor['client'];
};

/** Takes recordings in. Object first, then row and event in one transaction: what is told of is there. */
export const createUploads = ({ db, outbox, objects, telemetry, log, maxBytes }: UploadsDeps) => {
  const discard = async (id: string): Promise<void> => {
    try {
      // A commit whose answer was lost has made the row: then the object is needed.
      if (!(await store.find(db, id))) await objects.delete(originalKey(id));
    } catch (err) {
      log.warn({ err: err as Error, file_id: id }, 'a refused upload left its bytes behind');
    }
  };

  const complete = (
    file: Pick<Incoming, 'userId' | 'client'> & Inspected & { id: string; filename: string; options: UploadOptions },
  ) =>
    db.$transaction(async (tx) => {
      const { id, userId, filename, options } = file;
      const done = await store.find(tx, id);
      if (done) return toFileObject(done, 'owner');
      await store.lockHash(tx, userId, file.sha256);
      const twin = options.allow_duplicate === 'true' ? null : await store.sameBytes(tx, userId, file.sha256);
      if (twin) throw uploadErrors.duplicate(twin.id);
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
      const fact = {
        fileId: id,
        ownerId: userId,
        objectKey,
        contentType,
        bytes,
        source: 'upload' as const,
        options: run,
      };
      await outbox.add(tx, mediaEvents.uploaded, fact);
      const actor = { userId, client: file.client ?? noClient };
      await auditAction(tx, outbox, 'file_uploaded', { file: row, actor, details: { bytes } });
      return toFileObject(row, 'owner');
    }, txOptions);

  return {
    maxBytes,
    /**
     * The recording is stored and will be processed. @throws AppError when it is refused; then nothing is left of it,
     * but for what a store that does not answer may have kept for a day.
     */
    receive: async (incoming: Incoming): Promise<FileObject> => {
      const id = incoming.id ?? randomUUID();
      const filename = checkedFilename(incoming.filename);
      const { see, result } = createInspection({ declared: incoming.declaredType, maxBytes });
      try {
        const { userId, signal, client = noClient } = incoming;
        await objects.put(originalKey(id), incoming.body, { see, ...(signal ? { signal } : {}) });
        const file = { id, userId, client, filename, options: await incoming.options(), ...result() };
        const answer = await complete(file);
        telemetry.filesUploaded.inc({ source: 'upload' });
        return answer;
      } catch (error) {
        // A deletion might be heard long after it was given up, when the same upload has been stored again: what a store
        // that does not answer has kept goes with the orphans.
        if (!isAppError(error) || error.code !== 'storage_unavailable') await discard(id);
        throw error;
      }
    },
  };
};
export type Uploads = ReturnType<typeof createUploads>;
