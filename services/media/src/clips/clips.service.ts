import { clipLimits, type BodyOf, type ClipObject, type mediaRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { hasObject, type ObjectStore } from '@overtone/object-store';
import { conflict, handled, notFound } from '@overtone/service-kit';
import { lockedFile, usableFile, type UsableFile } from '../access/access.store.ts';
import { auditAction, type Actor } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import { recordUse } from '../files/files.store.ts';
import type { SoundMask } from '../copies/copies.ts';
import { requeueCopy } from '../copies/copies.store.ts';
import { dispositionOf, type Exchange, type SendObject } from '../streaming/streaming.ts';
import {
  checkPart,
  checkRecording,
  clipName,
  clipObject,
  clipOutdated,
  tooManyClips,
  toMilliseconds,
  wantedClip,
  type ClipRow,
} from './clips.ts';
import * as store from './clips.store.ts';

export type ClipsDeps = {
  db: Db;
  outbox: Outbox;
  objects: Pick<ObjectStore, 'head'>;
  copies: {
    soundMaskFor: (actor: Actor, file: UsableFile) => Promise<SoundMask | undefined>;
    put: (copy: Pick<ClipRow, 'fileId' | 'variant'>) => Promise<void>;
  };
  sendObject: SendObject;
};

/** Parts of recordings as files. A clip is a copy of its recording for one person, without what is masked from that person. */
export function createClips({ db, outbox, objects, copies, sendObject }: ClipsDeps) {
  /** The caller's clip, if it is still what the caller may hear. */
  const current = async (actor: Actor, fileId: string, id: string): Promise<{ file: UsableFile; clip: ClipRow }> => {
    const file = await usableFile(db, actor, fileId, 'read');
    checkRecording(file);
    const clip = await store.findClip(db, fileId, id, actor.userId);
    if (!clip) throw notFound('There is no such clip.');
    const wanted = wantedClip(file, actor.userId, clip.clip, await copies.soundMaskFor(actor, file));
    if (wanted.variant !== clip.variant) throw clipOutdated();
    if (clip.status !== 'ready' || (clip.objectKey && (await hasObject(objects, clip.objectKey))))
      return { file, clip };
    await requeueCopy(db, clip);
    await put(clip);
    return { file, clip: { ...clip, status: 'queued' } };
  };
  /** Without the broker, the queue of copies sends the job later. */
  const put = ({ fileId, variant }: ClipRow): Promise<void> => copies.put({ fileId, variant }).catch(() => undefined);

  return {
    request: async (
      actor: Actor,
      fileId: string,
      { start_time: start, end_time: end, kind }: BodyOf<(typeof mediaRoutes)['requestClip']>,
    ): Promise<ClipObject> => {
      const part = { kind, start: toMilliseconds(start), end: toMilliseconds(end) };
      const readable = await usableFile(db, actor, fileId, 'read');
      checkRecording(readable);
      checkPart(readable, part);
      const mask = await copies.soundMaskFor(actor, readable);
      const { clip, isNew } = await db.$transaction(async (tx) => {
        await store.lockClipsOf(tx, actor.userId);
        const file = await lockedFile(tx, actor, fileId, 'read');
        const wanted = wantedClip(file, actor.userId, part, mask);
        const same = await store.findSame(tx, fileId, wanted.variant);
        if (same && same.status === 'queued') return { clip: same, isNew: false };
        if (same?.status !== 'ready' && (await store.countUnfinished(tx, actor.userId)) >= clipLimits.unfinished)
          throw tooManyClips();
        await auditAction(tx, outbox, 'clip_requested', { file, actor, details: part });
        const stored = await store.insertClip(tx, file, wanted);
        return { clip: stored, isNew: stored.status === 'queued' };
      });
      if (isNew) await put(clip);
      return clipObject(clip);
    },

    read: async (actor: Actor, fileId: string, id: string): Promise<ClipObject> =>
      clipObject((await current(actor, fileId, id)).clip),

    send: async (actor: Actor, fileId: string, id: string, exchange: Exchange): Promise<typeof handled> => {
      const { file, clip } = await current(actor, fileId, id);
      if (clip.status === 'failed') throw conflict('clip_failed', 'This part could not be cut out of the recording.');
      if (clip.status !== 'ready' || !clip.objectKey || !clip.contentType)
        throw conflict('clip_not_ready', 'The clip is still being made.');
      if (exchange.req.method === 'GET') await recordUse(db, file);
      await sendObject(exchange, clip.objectKey, {
        'Content-Type': clip.contentType,
        'Content-Disposition': dispositionOf('attachment', clipName(file.title, clip.clip)),
        'Cache-Control': 'private, no-cache',
        'Content-Security-Policy': "default-src 'none'; media-src 'self'; frame-ancestors 'none'; sandbox",
      });
      return handled;
    },
  };
}
