import { randomUUID } from 'node:crypto';
import { maskedAudioJobs, type InputOf, type ReplyOf, type RequestOf, type maskedAudioRpc } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { putJob } from '@overtone/jobs';
import { hasObject, type ObjectStore } from '@overtone/object-store';
import { conflict, type Bus, type Log } from '@overtone/service-kit';
import type { UsableFile } from '../access/access.store.ts';
import { auditAction, type Actor } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import type { FileRow } from '../files/files.ts';
import { copyKey, copyKeys, maskedTimes, usedTracks, variantOf, type SoundMask } from './copies.ts';
import * as store from './copies.store.ts';
import { audienceOf, type Mask, type Playable } from '../redaction/redaction.ts';
import { maskFor, maskForIndex, readPlaybackCopy, readPolicy } from '../redaction/redaction.store.ts';

export type CopiesDeps = {
  db: Db;
  outbox: Outbox;
  objects: Pick<ObjectStore, 'head' | 'delete'>;
  bus: Bus;
  log: Log;
  makesPlaybackCopies: boolean;
};
type Rpc = typeof maskedAudioRpc;

/** The broker loses a message only with its storage: a job that has not ended is put there again after this time. */
const reenqueueAfterMs = 3_600_000;

/** A player sends many requests; those of this time are one entry of the audit log. */
const oneListeningMs = 3_600_000;

/** What is played to a reader: the recording, a copy that browsers play, or one without the masked parts. */
export function createCopies({ db, outbox, objects, bus, log, makesPlaybackCopies }: CopiesDeps) {
  const listenings = new Map<string, number>();
  const put = (input: InputOf<typeof maskedAudioJobs.maskAudio>): Promise<void> =>
    putJob(bus, maskedAudioJobs.maskAudio, randomUUID(), input).then(() => undefined);

  const discard = (key: string): Promise<void> =>
    objects.delete(key).catch((err: unknown) => log.warn({ err: err as Error, key }, 'masked copy not deleted'));

  return {
    /** @throws AppError conflict while the copy that the reader needs does not exist. */
    playableFor: async (actor: Actor, file: UsableFile): Promise<Playable> => {
      const masked = await soundMaskFor(actor, file);
      return masked ? copyOf(file, masked) : playbackOf(file);
    },

    soundMaskFor,
    put,

    /**
     * For people without an account: what is masked for any reader is not audible, also where the policy reveals it or does
     * not mask sound. @throws AppError conflict while the copy does not exist.
     */
    playableForPublic: async (file: FileRow): Promise<Playable> => {
      const { audio_masking: mode } = await readPolicy(db);
      const mask = await maskForIndex(db, file);
      const masked = await soundMaskOf(file, mode === 'off' ? 'silence' : mode, mask);
      return masked ? copyOf(file, masked) : playbackOf(file);
    },

    /** A recording was prepared: a copy is made when browsers cannot play what was transcribed. */
    prepared: async (fileId: string, isNeeded: boolean): Promise<void> => {
      const file = await db.mediaFile.findUnique({ where: { id: fileId } });
      if (!file || file.objectKey === '') return;
      if (!isNeeded || !makesPlaybackCopies) {
        for (const { objectKey } of await store.removePlaybackCopies(db, fileId))
          if (objectKey) await discard(objectKey);
        return;
      }
      const wanted = { mode: 'playback' as const, ranges: [] };
      const variant = variantOf({ ...wanted, source: file.objectKey, tracks: usedTracks(file.mediaInfo) });
      const { isNew } = await store.requestCopy(db, file, { ...wanted, variant });
      if (isNew) await put({ fileId, variant }).catch(() => undefined);
    },

    claim: async (request: RequestOf<Rpc['claimMaskedAudio']>): Promise<ReplyOf<Rpc['claimMaskedAudio']>> => {
      const copy = await store.claimCopy(db, request);
      if (!copy) return { outcome: 'none' };
      const { token, mode, ranges, source, fileId, variant, mediaInfo, clip, requestedBy } = copy;
      const tracks = usedTracks(mediaInfo);
      // The recording was replaced: readers request another copy.
      if (variantOf({ source, mode, ranges, tracks, clip, requestedBy }) !== variant) {
        if (clip) await store.endCopy(db, { fileId, variant, token, status: 'failed' });
        return { outcome: 'none' };
      }
      return { outcome: 'claimed', token, mode, ranges, clip, tracks, source, target: copyKey(fileId, variant, token) };
    },

    complete: async (request: RequestOf<Rpc['completeMaskedAudio']>): Promise<ReplyOf<Rpc['completeMaskedAudio']>> => {
      const objectKey = copyKey(request.fileId, request.variant, request.token);
      if (await store.endCopy(db, { ...request, status: 'ready', objectKey })) return { outcome: 'accepted' };
      await discard(objectKey);
      return { outcome: 'refused' };
    },

    fail: async ({ message, ...request }: RequestOf<Rpc['failMaskedAudio']>): Promise<Record<string, never>> => {
      await store.endCopy(db, { ...request, status: 'failed' });
      log.warn({ file_id: request.fileId, reason: message }, 'masked copy failed');
      return {};
    },

    /** Queues the copies whose message or worker was lost. */
    createQueue: () => {
      const putAt = new Map<string, number>();
      return async (): Promise<void> => {
        const queued = await store.listQueuedCopies(db);
        const keys = new Set(queued.map(({ variant }) => variant));
        for (const key of putAt.keys()) if (!keys.has(key)) putAt.delete(key);
        if (!bus.connected()) return;
        for (const { fileId, variant } of queued) {
          if (Date.now() - (putAt.get(variant) ?? 0) < reenqueueAfterMs) continue;
          await put({ fileId, variant });
          putAt.set(variant, Date.now());
        }
      };
    },

    forget: async (): Promise<void> => {
      for (const copy of await store.forgetCopies(db)) for (const key of copyKeys(copy)) await discard(key);
    },
  };

  /** What a reader does not hear; undefined: nothing. @throws AppError conflict while the transcript is not checked. */
  async function soundMaskFor(actor: Actor, file: UsableFile): Promise<SoundMask | undefined> {
    const policy = await readPolicy(db);
    const { audio_masking: mode, reveal_for } = policy;
    if (mode === 'off') return undefined;
    const mask = await maskFor(db, actor, file, policy);
    if (mask.kinds.size > 0 && reveal_for.includes(audienceOf(actor, file))) {
      await auditListening(actor, file);
      return undefined;
    }
    return soundMaskOf(file, mode, mask);
  }

  /** Where the sound of the recording says what the mask hides; undefined: nowhere. */
  async function soundMaskOf(file: FileRow, mode: SoundMask['mode'], mask: Mask): Promise<SoundMask | undefined> {
    if (mask.kinds.size === 0) return undefined;
    if (file.transcriptVersion === 0 && mask.withholdsUnscanned) throw notChecked();
    const passages = await store.readAudioPassages(db, file, !mask.withholdsUnscanned);
    if (!passages) throw notChecked();
    const ranges = maskedTimes(passages, mask);
    return ranges.length === 0 ? undefined : { mode, ranges };
  }

  /** The copy for players, or the recording as long as there is none. */
  async function playbackOf(file: FileRow): Promise<Playable> {
    const recording = { key: file.objectKey, contentType: file.contentType, masked: false };
    const copy = await readPlaybackCopy(db, file.id);
    if (!copy) return recording;
    const { variant, status, objectKey, contentType } = copy;
    if (status === 'ready' && objectKey && contentType) {
      if (await hasObject(objects, objectKey)) return { key: objectKey, contentType, masked: false };
      await store.requeueCopy(db, { fileId: file.id, variant });
    }
    return { ...recording, pending: status !== 'failed' };
  }

  /** Hearing masked parts is a use of the permission to reveal. */
  async function auditListening(actor: Actor, file: UsableFile): Promise<void> {
    const now = Date.now();
    for (const [key, at] of listenings) if (now - at > oneListeningMs) listenings.delete(key);
    const key = `${actor.userId} ${file.id}`;
    if (listenings.has(key)) return;
    await db.$transaction((tx) =>
      auditAction(tx, outbox, 'text_revealed', { file, actor, details: { kind: 'sound' } }),
    );
    listenings.set(key, now);
  }

  async function copyOf(file: FileRow, { mode, ranges }: SoundMask): Promise<Playable> {
    const variant = variantOf({ source: file.objectKey, mode, ranges, tracks: usedTracks(file.mediaInfo) });
    const { status, objectKey, contentType, isNew } = await store.requestCopy(db, file, { variant, mode, ranges });
    if (status === 'failed')
      throw conflict('audio_masking_failed', 'The masked parts could not be removed from the sound of this recording.');
    if (status === 'ready' && objectKey && contentType) {
      if (await hasObject(objects, objectKey)) return { key: objectKey, contentType, masked: true };
      await store.requeueCopy(db, { fileId: file.id, variant });
      await put({ fileId: file.id, variant }).catch(() => undefined);
    } else if (isNew) await put({ fileId: file.id, variant }).catch(() => undefined);
    throw conflict('audio_masking_pending', 'Masked parts are being removed from the sound. Try again in a moment.');
  }
}

function notChecked() {
  return conflict('audio_masking_pending', 'The recording can be played once its transcript was checked.');
}
export type Copies = ReturnType<typeof createCopies>;
