import { randomUUID } from 'node:crypto';
import type { FileObject } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { ObjectStore } from '@overtone/object-store';
import { isAppError, type Log } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { noClient } from '../audit/audit.ts';
import { originalKey } from '../files/files.ts';
import type { Telemetry } from '../telemetry.ts';
import { createInspection } from '@overtone/object-store/inspection';
import { checkedFilename } from './uploads.ts';
import { findFile, storeFile, type IncomingUpload, type Uploads } from './uploads.store.ts';

export type UploadsDeps = {
  db: Db;
  outbox: Outbox;
  objects: Pick<ObjectStore, 'put' | 'delete'>;
  telemetry: Telemetry;
  log: Log;
  maxBytes: number;
};
/** Receives recordings: stores the object first, then row and event in one transaction. */
export function createUploads({ db, outbox, objects, telemetry, log, maxBytes }: UploadsDeps): Uploads {
  const discard = async (id: string): Promise<void> => {
    try {
      // A commit may have succeeded although its response was lost: then the object is needed.
      if (!(await findFile(db, id))) await objects.delete(originalKey(id));
    } catch (err) {
      log.warn({ err: err as Error, file_id: id }, 'rejected upload cleanup failed');
    }
  };

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
        const { userId, signal, client = noClient, source = 'upload', alongside } = incoming;
        const objectKey = originalKey(id);
        await objects.put(objectKey, incoming.body, { see, ...(signal ? { signal } : {}) });
        const options = await incoming.options();
        const file = { id, userId, client, filename, options, source, objectKey, ...result() };
        const stored = await db.$transaction(async (tx) => {
          const fileObject = await storeFile(tx, outbox, file);
          await alongside?.(tx, fileObject);
          return fileObject;
        });
        telemetry.filesUploaded.inc({ source });
        return stored;
      } catch (error) {
        // An unresponsive store could execute the deletion late, after the same upload was stored again: its objects are
        // removed with the orphans.
        if (!isAppError(error) || error.code !== 'storage_unavailable') await discard(id);
        throw error;
      }
    },
  };
}
