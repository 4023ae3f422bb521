import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WatchDecisionKind } from '@overtone/contracts';
import type { ObjectStore } from '@overtone/object-store';
import { isAppError, type AppError } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { parseOptions, uploadErrors } from '../uploads/uploads.ts';
import type { Uploads } from '../uploads/uploads.store.ts';
import { declaredBytes, headLength } from './completeness.ts';
import { EntryChanged, EntryIncomplete, type Place } from './place.ts';
import { pauseAfter, type Entry } from './watch-sources.ts';
import * as store from './watch-sources.store.ts';
import type { NewDecision, Source } from './watch-sources.store.ts';

export type TakeDeps = { db: Db; uploads: Uploads; objects: Pick<ObjectStore, 'get' | 'space'> };
/** A writer that was silent for this time does not continue: an incomplete recording is imported unchanged. */
const abandonedMs = 3_600_000;
const silenceMs = 120_000;

type Take = {
  source: Source;
  place: Place;
  entry: Entry;
  known: store.Known | undefined;
  ownerId: string;
  tags: readonly string[];
  /** The name of a collection of the owner, which is created when there is none; null: none. */
  collection: string | null;
  signal: AbortSignal;
};

/** Imports single files of a source as uploads are, and moves or deletes them afterwards. */
export function createTakes({ db, uploads, objects }: TakeDeps) {
  /** File, tags, ledger and decision are stored together: a killed process leaves all of them or none. */
  const receive = async ({ source, place, entry, ownerId, tags, collection, signal }: Take): Promise<NewDecision> => {
    const space = await objects.space();
    if (space && entry.bytes > space.freeBytes) throw uploadErrors.noSpace();
    const opened = await place.open(entry, signal);
    const requireUnchanged = async (): Promise<void> => {
      if (!(await opened.isUnchanged())) throw new EntryChanged('changed while it was read');
    };
    let imported: NewDecision | undefined;
    try {
      await uploads.receive({
        id: randomUUID(),
        userId: ownerId,
        filename: entry.path.split('/').at(-1),
        declaredType: '',
        body: withCheckedHead(opened.body, entry),
        options: async () => {
          await requireUnchanged();
          return parseOptions({});
        },
        signal,
        source: 'watch',
        alongside: async (tx, file) => {
          if (file.file_size !== entry.bytes || file.file_hash === null) throw new EntryChanged('other length');
          const sha256 = file.file_hash;
          const earlier = await store.recordImport(tx, { ownerId, sha256, fileId: file.uuid });
          if (earlier !== null) throw uploadErrors.duplicate(earlier);
          await store.attachTags(tx, ownerId, file.uuid, tags);
          if (collection !== null) await store.addToCollection(tx, ownerId, file.uuid, collection);
          const afterState = source.settings.after === 'keep' ? null : 'pending';
          imported = { entry, decision: 'imported', reason: '', ownerId, sha256, fileId: file.uuid, afterState };
          await store.storeDecisions(tx, source, [imported]);
        },
      });
    } finally {
      await opened.close();
    }
    if (!imported) throw new Error('the upload was accepted without its decision');
    return imported;
  };

  /** Whether the recording that this file repeats was deleted since. */
  const isDeleted = async (error: unknown): Promise<boolean> => {
    const id = isAppError(error) && error.code === 'duplicate_file' ? error.extra.duplicate_file_uuid : undefined;
    if (!id) return false;
    const file = await db.mediaFile.findUnique({ where: { id }, select: { deletedAt: true } });
    return file === null || file.deletedAt !== null;
  };

  const refuse = async ({ source, entry, known, ownerId }: Take, error: unknown): Promise<NewDecision> => {
    const wasDeleted = await isDeleted(error);
    const decision = refusedDecision({ entry, known, ownerId, wasDeleted, after: source.settings.after }, error);
    await store.storeDecisions(db, source, [decision]);
    return decision;
  };

  return {
    /** @returns what was decided and stored. @throws the reason of an aborted signal. */
    take: async (take: Take): Promise<NewDecision> => {
      try {
        return await receive(take);
      } catch (error) {
        take.signal.throwIfAborted();
        return await refuse(take, error);
      }
    },

    /** Moves or deletes a file whose import is verified: the object is read again and has the same hash. */
    finish: async ({ source, place, entry }: Pick<Take, 'source' | 'place' | 'entry'>): Promise<void> => {
      const { after } = source.settings;
      const row = await store.findDecision(db, source.id, entry.path);
      if (!row || after === 'keep' || row.version !== entry.version) return;
      try {
        const file = row.fileId === null ? null : await db.mediaFile.findUnique({ where: { id: row.fileId } });
        if (!file || file.deletedAt || file.fileHash === null || file.recordingRemovedAt) {
          await store.setAfterState(db, row.id, {
            afterState: null,
            reason: 'The imported file was deleted: this one stays.',
          });
          return;
        }
        if ((await hashOf(objects, file.objectKey)) !== file.fileHash)
          throw new Error('the stored recording differs from the imported one');
        await place.finish(entry, after);
        await store.setAfterState(db, row.id, { afterState: 'done', reason: row.reason });
      } catch (error) {
        // The changed file is a new one for the next scan.
        if (error instanceof EntryChanged) return;
        const attempts = row.attempts + 1;
        const nextAttemptAt = Date.now() + pauseAfter(attempts);
        const verb = after === 'move' ? 'moved' : 'deleted';
        const reason = `The file was imported, but not ${verb}: ${(error as Error).message}`;
        await store.setAfterState(db, row.id, { afterState: 'failed', reason, attempts, nextAttemptAt });
      }
    },
  };
}

export type Takes = ReturnType<typeof createTakes>;

/** Fails early for a file that is shorter than its header says, unless its writer has given up. */
async function* withCheckedHead(body: AsyncIterable<Buffer>, { bytes, modifiedAt }: Entry): AsyncIterable<Buffer> {
  let head: Buffer[] = [];
  let length = 0;
  let isChecked = Date.now() - modifiedAt.getTime() > abandonedMs;
  const chunks = body[Symbol.asyncIterator]();
  for (let step = await nextWithin(chunks); !step.done; step = await nextWithin(chunks)) {
    const chunk = step.value;
    if (isChecked) {
      yield chunk;
      continue;
    }
    head.push(chunk);
    length += chunk.length;
    if (length < headLength && length < bytes) continue;
    const start = Buffer.concat(head);
    if (declaredBytes(start.subarray(0, headLength)) > bytes) throw new EntryIncomplete('shorter than its header says');
    isChecked = true;
    head = [];
    yield start;
  }
  // The file became shorter while it was read: what is left of it is compared by its length.
  yield* head;
}

/** The next chunk; a source that sends nothing for long has failed. */
async function nextWithin(chunks: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
  const waiting = new AbortController();
  const late = sleep(silenceMs, undefined, { signal: waiting.signal }).then(() => {
    throw new Error('the source does not respond');
  });
  try {
    return await Promise.race([chunks.next(), late]);
  } finally {
    waiting.abort();
  }
}

async function hashOf(objects: Pick<ObjectStore, 'get'>, key: string): Promise<string> {
  const hash = createHash('sha256');
  const { stream } = await objects.get(key);
  for await (const chunk of stream) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}

type Refused = { entry: Entry; known: store.Known | undefined; ownerId: string; after: string; wasDeleted: boolean };

function refusedDecision({ entry, known, ownerId, after, wasDeleted }: Refused, error: unknown): NewDecision {
  if (error instanceof EntryIncomplete)
    return {
      entry,
      decision: 'waiting',
      reason: 'The file is shorter than its header says. It is probably still written.',
      ownerId,
    };
  if (error instanceof EntryChanged)
    return {
      entry,
      decision: 'waiting',
      reason: 'The file changed while it was read. It may still be written.',
      ownerId,
    };
  const failed = (reason: string): NewDecision => {
    const attempts = (known?.version === entry.version ? known.attempts : 0) + 1;
    return { entry, decision: 'failed', reason, ownerId, attempts, nextAttemptAt: Date.now() + pauseAfter(attempts) };
  };
  if (!isAppError(error)) return failed(`The file cannot be read: ${(error as Error).message}`);
  if (error.code === 'duplicate_file') return duplicateDecision({ entry, known, ownerId, after, wasDeleted }, error);
  const decision = decisionByCode[error.code];
  return decision ? { entry, decision, reason: error.message, ownerId } : failed(error.message);
}

const decisionByCode: Partial<Record<AppError['code'], WatchDecisionKind>> = {
  upload_not_media: 'not_media',
  filename_invalid: 'excluded',
  upload_too_large: 'too_large',
  upload_empty: 'too_small',
};

function duplicateDecision({ entry, known, ownerId, after, wasDeleted }: Refused, { extra }: AppError): NewDecision {
  const fileId = extra.duplicate_file_uuid ?? null;
  const afterState = after === 'keep' ? null : 'pending';
  // Times or rights of a file that was imported have changed, its content has not.
  const isKnown = known?.decision === 'imported' || known?.decision === 'waiting';
  const isSame = isKnown && fileId !== null && known.fileId === fileId;
  const reason = wasDeleted
    ? 'The owner deleted this recording after it was imported. It is not imported again.'
    : 'The owner has this recording already.';
  return isSame
    ? { entry, decision: 'imported', reason: '', ownerId, fileId, afterState }
    : { entry, decision: 'duplicate', reason, ownerId, fileId, afterState };
}
