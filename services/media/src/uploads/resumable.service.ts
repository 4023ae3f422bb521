import type { Readable } from 'node:stream';
import { isAppError, notFound, type Log } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { Description, Parts } from './resumable-parts.store.ts';
import { maybeMedia } from './sniff.ts';
import type { Languages } from '../ports/languages.ts';
import type { Reservations } from './reservations.store.ts';
import { checkedFilename, checkLanguage, parseOptions, uploadErrors } from './uploads.ts';
import type { Uploads } from './uploads.service.ts';
import { uploadsStore as store } from './uploads.store.ts';

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
/** Where an upload stands; `size` is known from its beginning. */
export type Standing = { offset: number; size: number; metadata: Metadata; createdAt: string };

const noSuchUpload = () => notFound('There is no such upload.');

/** Uploads in pieces. The id of an upload becomes the id of the file it makes. */
export const createResumable = ({ db, parts, reservations, uploads, languages, expiresMs, log }: ResumableDeps) => {
  const finishing = new Map<string, Promise<void>>();

  const remove = async (id: string): Promise<void> => {
    await parts.remove(id);
    await reservations.release(id);
  };

  const finish = async (id: string, { userId, size, metadata }: Description): Promise<void> => {
    if (!(await store.find(db, id))) {
      const options = parseOptions(metadata);
      const body = parts.read(id, size);
      const filename = metadata['filename'] ?? undefined;
      await uploads
        .receive({ id, userId, filename, declaredType: metadata['filetype'] ?? '', body, options: async () => options })
        .catch(async (error: unknown) => {
          // Refused for what it is: sending it again would not help.
          if (isAppError(error) && error.permanent && error.code !== 'upload_incomplete') await remove(id);
          throw error;
        });
    }
    await remove(id);
  };

  /** Makes the file when all bytes are there, once at a time however many requests ask for it. */
  const finishWhole = async (id: string): Promise<void> => {
    const upload = await parts.describe(id);
    if (!upload || (await parts.offset(id)) < upload.size) return;
    const running = finishing.get(id) ?? finish(id, upload).finally(() => finishing.delete(id));
    finishing.set(id, running);
    await running;
  };

  return {
    maxBytes: uploads.maxBytes,
    expiresMs,
    finishWhole,
    remove,

    begin: async (id: string, what: Description): Promise<void> => {
      await reservations.reserve(id, what.userId, what.size);
      await parts.create(id, what).catch(async (error: unknown) => {
        await reservations.release(id);
        throw error;
      });
    },

    append: async (id: string, offset: number, source: Readable): Promise<number> => {
      const end = await parts.append(id, offset, source);
      await reservations.received(id, end);
      return end;
    },

    /** Refuses at once what would be refused when all bytes have come. */
    check: async (size: number, metadata: Metadata): Promise<void> => {
      checkedFilename(metadata['filename'] ?? undefined);
      const { language } = parseOptions(metadata);
      if (!maybeMedia(metadata['filetype'] ?? '')) throw uploadErrors.notMedia();
      if (size === 0) throw uploadErrors.empty();
      if (language) checkLanguage(language, await languages.known());
    },

    /** @throws AppError not_found when it is not this person's, as if there were none. */
    authorise: async (id: string, userId: string): Promise<void> => {
      const owner = (await parts.describe(id))?.userId ?? (await store.find(db, id))?.userId;
      if (owner !== userId) throw noSuchUpload();
    },

    /** A finished upload stays at its end, so that a client whose last answer was lost learns that it is done. */
    standing: async (id: string): Promise<Standing> => {
      const upload = await parts.describe(id);
      if (upload) return { ...upload, offset: await parts.offset(id) };
      const file = await store.find(db, id);
      if (!file) throw noSuchUpload();
      const size = Number(file.fileSize);
      return { offset: size, size, metadata: {}, createdAt: new Date().toISOString() };
    },

    /** Ends what was forgotten; makes files of uploads whose last step was interrupted. */
    tidy: async (signal: AbortSignal): Promise<number> => {
      let removed = 0;
      const before = new Date(Date.now() - expiresMs);
      for await (const id of parts.expired(before)) {
        if (signal.aborted) break;
        await finishWhole(id).catch((err: unknown) =>
          log.info({ err: err as Error, upload: id }, 'an upload was dropped'),
        );
        await remove(id);
        removed += 1;
      }
      await reservations.releaseOld(new Date(before.getTime() - expiresMs));
      return removed;
    },
  };
};
export type Resumable = ReturnType<typeof createResumable>;
