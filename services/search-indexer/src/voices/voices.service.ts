import {
  voiceEvents,
  voiceJobs,
  type EmbeddedVoice,
  type ReplyOf,
  type RequestOf,
  type voiceRpc,
  type VoiceVersion,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { namedId, putJob } from '@overtone/jobs';
import type { Bus, Log } from '@overtone/service-kit';
import { decodeVector, encodeVector } from '@overtone/service-kit/vectors';
import AsyncLock from 'async-lock';
import type { Db } from '../database.ts';
import type { SpeakerIndex, VoiceRow } from '../ports/speaker-index.ts';
import type { VoiceSources } from '../ports/media-voice-sources.adapter.ts';
import type { VoiceStates } from './voices.store.ts';

export type VoicesDeps = {
  db: Db;
  outbox: Outbox;
  index: SpeakerIndex;
  states: VoiceStates;
  sources: VoiceSources;
  bus: Bus;
  log: Log;
};
type Rpc = typeof voiceRpc;

/** Jobs in the queue: few of a migration, so that a new recording waits for few. */
const inQueue = { new: 8, background: 2 };
/** The broker loses a message only with its storage: a job that has not ended is put there again after this time. */
const reenqueueAfterMs = 600_000;

/** Keeps the embeddings of every file's speakers up to date in every version of the speaker index. */
export function createVoices({ db, outbox, index, states, sources, bus, log }: VoicesDeps) {
  const lock = new AsyncLock({ maxPending: Infinity });
  const putAt = new Map<string, number>();
  /** Whether the index has embeddings, or a version was chosen: only a migration changes the version then. */
  let hasStarted = false;
  /** Within this process writes of one file do not overlap its removal; `removeUnwanted` corrects those of another process. */
  const exclusive = <T>(fileId: string, work: () => Promise<T>): Promise<T> => lock.acquire(fileId, work);

  const queueDue = async (): Promise<void> => {
    if (!bus.connected()) return;
    const due = await states.listDue(inQueue.new + inQueue.background);
    const known = new Set(due.map(({ fileId }) => fileId));
    for (const fileId of putAt.keys()) if (!known.has(fileId)) putAt.delete(fileId);
    const isQueued = (fileId: string): boolean => Date.now() - (putAt.get(fileId) ?? 0) < reenqueueAfterMs;
    const wanted = [
      ...due.filter(({ background }) => !background).slice(0, inQueue.new),
      ...due.filter(({ background }) => background).slice(0, inQueue.background),
    ];
    for (const { fileId, since } of wanted) {
      if (isQueued(fileId)) continue;
      putAt.set(fileId, Date.now());
      // Every replica gives the job the same id, and the broker keeps one.
      await putJob(bus, voiceJobs.embedVoices, namedId(`voices ${fileId} ${since}`), { fileId });
    }
  };
  const queueNext = async (fileId: string): Promise<void> => {
    putAt.delete(fileId);
    await queueDue().catch((err: unknown) => log.debug({ err }, 'voice jobs not queued: retry scheduled'));
  };
  const forget = (fileId: string): Promise<boolean> =>
    exclusive(fileId, async () => {
      const removed = await states.remove(fileId);
      for (const version of await states.versions()) await index.replaceFile(version, fileId, []);
      return removed > 0;
    });

  /** A new installation needs no migration: before the first embedding it changes to the newest version. */
  const startOnNewest = async (computable: readonly VoiceVersion[]): Promise<void> => {
    if (hasStarted) return;
    const started = await db.$transaction(async (tx) => {
      const change = await states.startOnNewest(tx, computable);
      if (change.version) await outbox.add(tx, voiceEvents.switched, { version: change.version });
      return change;
    });
    hasStarted = started.hasStarted;
    if (started.version) log.info({ version: started.version }, 'speaker index started on the newest version');
  };

  /** What was written for a claim that another process superseded, or for voices that it forbade, is removed or replaced. */
  const removeUnwanted = async (fileId: string, written: readonly VoiceVersion[]): Promise<void> => {
    const wanted = await states.markReplaced(fileId, written);
    const existing = await states.versions();
    for (const version of written)
      if (!existing.includes(version)) await index.drop(version);
      else if (!wanted.includes(version)) await index.replaceFile(version, fileId, []);
  };

  return {
    queueDue,
    forget,

    /** A file without sound, such as an imported transcript, is never due: it would be counted among the recordings. */
    markDue: async (fileId: string, ownerId: string): Promise<void> => {
      if (!(await states.readAlias()).enabled) return;
      if (!(await sources.read(fileId))) {
        await forget(fileId);
        return;
      }
      await states.markDue(fileId, ownerId);
      await queueNext(fileId);
    },

    claim: async ({
      fileId,
      attempt,
      computable = [],
    }: RequestOf<Rpc['claimVoices']>): Promise<ReplyOf<Rpc['claimVoices']>> => {
      const source = await sources.read(fileId);
      if (!source) {
        await forget(fileId);
        await queueNext(fileId);
        return { outcome: 'none' };
      }
      await startOnNewest(computable);
      const claimed = await states.claim(fileId, { fingerprint: source.fingerprint, isFirstDelivery: attempt === 1 });
      if (!claimed) {
        await queueNext(fileId);
        return { outcome: 'none' };
      }
      return { outcome: 'claimed', ...claimed, source: source.source, speakers: source.speakers };
    },

    complete: (request: RequestOf<Rpc['completeVoices']>): Promise<ReplyOf<Rpc['completeVoices']>> =>
      exclusive(request.fileId, async () => {
        const { fileId, token, voices, versions } = request;
        const isComputed = ({ version }: { version: VoiceVersion }) => versions?.includes(version) ?? true;
        const held = (await states.heldBy(fileId, token)).filter(isComputed);
        for (const { version } of held) {
          const rows = voices.flatMap(({ vectors, speakerId, seconds }): VoiceRow[] => {
            const vector = vectors[version];
            return vector === undefined ? [] : [{ speakerId, fileId, seconds, vector: decodeVector(vector) }];
          });
          await index.replaceFile(version, fileId, rows);
        }
        const done = await db.$transaction(async (tx) => {
          const completed = await states.complete(tx, {
            fileId,
            token,
            versions: held.map(({ version }) => version),
            speakers: voices.length,
          });
          const { version } = await states.readAlias(tx);
          const [first] = held;
          if (first && completed.includes(version))
            await outbox.add(tx, voiceEvents.indexed, { fileId, ownerId: first.ownerId });
          return completed;
        });
        const refused = held.map(({ version }) => version).filter((version) => !done.includes(version));
        if (refused.length > 0) await removeUnwanted(fileId, refused);
        await queueNext(fileId);
        return { outcome: done.length > 0 ? 'accepted' : 'refused' };
      }),

    fail: async ({
      fileId,
      token,
      message,
      permanent = false,
    }: RequestOf<Rpc['failVoices']>): Promise<Record<string, never>> => {
      await states.fail(fileId, token, { error: message, permanent });
      log.warn({ file_id: fileId, reason: message }, 'voice embedding failed');
      await queueNext(fileId);
      return {};
    },

    /** What is stored of the speakers, in every version. */
    read: async (speakerIds: readonly string[]): Promise<ReplyOf<Rpc['readVoices']>> => {
      const stored = new Map<string, EmbeddedVoice>();
      for (const version of await states.versions())
        for (const { speakerId, seconds, vector } of await index.read(version, speakerIds)) {
          const voice = stored.get(speakerId) ?? { speakerId, seconds, vectors: {} };
          stored.set(speakerId, { ...voice, vectors: { ...voice.vectors, [version]: encodeVector(vector) } });
        }
      return { voices: [...stored.values()] };
    },

    /** Adds the files that are not known yet, after voices were allowed and after events were lost. */
    addMissing: async (signal: AbortSignal): Promise<void> => {
      for (let after: string | null = null; ;) {
        signal.throwIfAborted();
        const { enabled, files } = await sources.list(after);
        await states.setEnabled(enabled);
        if (!enabled || files.length === 0) return;
        await states.addMissing(files);
        after = files.at(-1)?.fileId ?? null;
      }
    },

    /** Voices must not be stored any more: deletes all embeddings and ends a migration. */
    eraseAll: async (): Promise<void> => {
      await states.setEnabled(false);
      await db.voiceFile.deleteMany();
      const { version: current } = await states.readAlias();
      const all = await states.versions();
      await db.speakerIndexVersion.deleteMany({ where: { version: { not: current } } });
      for (const version of all) await index.drop(version);
    },
  };
}
