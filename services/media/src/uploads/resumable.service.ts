import type { Readable } from 'node:stream';
import { isAppError, notFound, type Log } from '@overtone/service-kit';
import type { Actor } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import type { Description, Parts } from './resumable-parts.store.ts';
import { maybeMedia } from '@overtone/object-store/inspection';
import { addDuration } from './webm-duration.ts';
import { checkSpeech, type Languages } from '../ports/languages.adapter.ts';
import type { Reservations } from './reservations.store.ts';
import { checkedFilename, parseOptions, uploadErrors } from './uploads.ts';
import type { Uploads } from './uploads.store.ts';
import { findFile } from './uploads.store.ts';

export type ResumableDeps = {
  db: Db;
  parts: Parts;
  reservations: Reservations;
  uploads: Uploads;
  languages: Languages;
  expiresMs: number;
  log: Log;
};
type Metadata = Record<string, string | null>;
/** Progress of an upload; `size` is null while a recording is made. */
export type UploadProgress = { offset: number; size: number | null; metadata: Metadata; createdAt: string };

/** Resumable uploads. The id of an upload becomes the id of its file. */
export function createResumable({ db, parts, reservations, uploads, languages, expiresMs, log }: ResumableDeps) {
  const completion = createCompletion({ db, parts, reservations, uploads, expiresMs, log });
  return {
    maxBytes: uploads.maxBytes,
    expiresMs,
    ...completion,
    touch: reservations.touch,

    begin: async (id: string, upload: Description): Promise<void> => {
      await reservations.reserve(id, upload.userId, upload.size);
      await parts.create(id, upload).catch(async (error: unknown) => {
        await reservations.release(id);
        throw error;
      });
    },

    append: async (id: string, offset: number, source: Readable): Promise<number> => {
      const end = await parts.append(id, offset, source);
      await reservations.setReceived(id, end);
      if ((await parts.describe(id))?.size === null) await parts.compact(id);
      return end;
    },

    /** The sender of a recording reports its length with its last bytes. */
    setLength: async (id: string, size: number): Promise<void> => {
      const upload = await parts.describe(id);
      if (!upload) throw noSuchUpload();
      if (size === 0) throw uploadErrors.empty();
      await parts.create(id, { ...upload, size });
      await reservations.setLength(id, size);
    },

    /** Rejects an upload early that would be rejected after its last byte. */
    check: async (size: number | null, metadata: Metadata): Promise<void> => {
      checkedFilename(metadata['filename'] ?? undefined);
      const options = parseOptions(metadata);
      if (!maybeMedia(metadata['filetype'] ?? '')) throw uploadErrors.notMedia();
      if (size === 0) throw uploadErrors.empty();
      checkSpeech(options, await languages.abilities());
    },

    /** @throws AppError not_found when the upload belongs to another user. */
    authorise: async (id: string, userId: string): Promise<void> => {
      const owner = (await parts.describe(id))?.userId ?? (await findFile(db, id))?.userId;
      if (owner !== userId) throw noSuchUpload();
    },

    /** A finished upload reports its full size, so that a client that lost the last response sees the end. */
    progress: async (id: string): Promise<UploadProgress> => {
      const upload = await parts.describe(id);
      if (upload) return { ...upload, offset: await parts.offset(id) };
      const file = await findFile(db, id);
      if (!file) throw noSuchUpload();
      const size = Number(file.fileSize);
      return { offset: size, size, metadata: {}, createdAt: new Date().toISOString() };
    },
  };
}

export type Resumable = ReturnType<typeof createResumable>;

function noSuchUpload() {
  return notFound('There is no such upload.');
}

type Whole = Omit<Description, 'size'> & { size: number };

/** Ends uploads: makes them files once they are complete, or removes them. */
function createCompletion({ db, parts, reservations, uploads, expiresMs, log }: Omit<ResumableDeps, 'languages'>) {
  const finishing = new Map<string, Promise<void>>();

  /** Deletes the received bytes and the reservation of an upload that is cancelled, rejected, expired or already a file. */
  const remove = async (id: string): Promise<void> => {
    await parts.remove(id);
    await reservations.release(id);
  };

  const finish = async (
    id: string,
    { userId, size, metadata, recorded }: Whole,
    client: Actor['client'] | undefined,
  ): Promise<void> => {
    if (!(await findFile(db, id))) {
      const options = parseOptions(metadata);
      const whole = () => parts.read(id, size);
      const body = recorded ? addDuration(whole) : whole();
      const filename = metadata['filename'] ?? undefined;
      await uploads
        .receive({
          id,
          userId,
          filename,
          declaredType: metadata['filetype'] ?? '',
          body,
          options: async () => options,
          ...(client ? { client } : {}),
        })
        .catch(async (error: unknown) => {
          // A permanent rejection: sending the upload again cannot help.
          if (isAppError(error) && error.permanent && error.code !== 'upload_incomplete') await remove(id);
          throw error;
        });
    }
    await remove(id);
  };

  /**
   * Creates the file once all bytes have arrived; concurrent requests share one attempt. `client` is audited: where the
   * request came from that completes the upload.
   */
  const finishWhole = async (id: string, client?: Actor['client']): Promise<void> => {
    const upload = await parts.describe(id);
    if (!upload || upload.size === null || (await parts.offset(id)) < upload.size) return;
    const whole = { ...upload, size: upload.size };
    const running = finishing.get(id) ?? finish(id, whole, client).finally(() => finishing.delete(id));
    finishing.set(id, running);
    await running;
  };

  /** Makes a file of what has arrived of a recording; without a byte it is removed. */
  const finishRecording = async (id: string): Promise<void> => {
    const upload = await parts.describe(id);
    if (upload?.size !== null) return finishWhole(id);
    const size = await parts.offset(id);
    if (size === 0) return remove(id);
    await parts.create(id, { ...upload, size });
    await reservations.setLength(id, size);
    await finishWhole(id);
  };

  return {
    finishWhole,
    finishRecording,

    /** Finishes the recordings whose sender has been silent since then. @returns their number. */
    finishInterrupted: async (before: Date, signal: AbortSignal): Promise<number> => {
      const ids = await reservations.interrupted(before);
      for (const id of ids) {
        if (signal.aborted) break;
        await finishRecording(id).catch((err: unknown) =>
          log.warn({ err: err as Error, upload: id }, 'interrupted recording not finished'),
        );
      }
      return ids.length;
    },

    /** The client's DELETE. */
    cancel: (id: string): Promise<void> => remove(id),

    /** Removes every upload of a user, also one whose reservation was lost. @returns their number. */
    removeOf: async (userId: string): Promise<number> => {
      const ids = new Set((await db.openUpload.findMany({ where: { userId } })).map(({ id }) => id));
      for await (const id of parts.expired(new Date(Date.now() + 60_000)))
        if ((await parts.describe(id))?.userId === userId) ids.add(id);
      for (const id of ids) await remove(id);
      return ids.size;
    },

    /** Removes expired uploads; completes those whose last step was interrupted. */
    removeExpired: async (signal: AbortSignal): Promise<number> => {
      let removed = 0;
      const cutoff = new Date(Date.now() - expiresMs);
      for await (const id of parts.expired(cutoff)) {
        if (signal.aborted) break;
        await finishRecording(id).catch((err: unknown) =>
          log.info({ err: err as Error, upload: id }, 'expired upload dropped'),
        );
        await remove(id);
        removed += 1;
      }
      await reservations.releaseOlderThan(new Date(cutoff.getTime() - expiresMs));
      return removed;
    },
  };
}
