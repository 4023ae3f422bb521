import { ApiError } from '@overtone/client';
import { observable, type Observable } from '../lib/observable.ts';
import type { ChunkStore } from './chunk-store.ts';
import { bodyOf, chunksAfter, type Chunk } from './recording.ts';
import type { RecordingTransfer } from './recording-transfer.adapter.ts';

export type SenderState = {
  /** `waiting`: the server is not reachable, and the chunks wait in the browser. */
  readonly phase: 'sending' | 'waiting' | 'failed' | 'done';
  readonly waitingBytes: number;
  readonly error: ApiError | null;
};
export type RecordingSender = {
  readonly state: Observable<SenderState>;
  readonly add: (blob: Blob) => void;
  /** Sends the rest and ends the recording; rejects when the server refuses it. */
  readonly finish: () => Promise<void>;
  /** What the server has not confirmed. */
  readonly unsent: () => Blob;
  readonly stop: () => void;
};
type Deps = {
  readonly upload: string;
  readonly transfer: Pick<RecordingTransfer, 'send' | 'progress'>;
  readonly store: ChunkStore;
  /** Bytes that the server has already. */
  readonly offset?: number;
  readonly chunks?: readonly Chunk[];
  readonly sleep?: (ms: number) => Promise<void>;
};

const maxBodyBytes = 4 * 1024 * 1024;
/** So much may wait in the browser: four hours at the standard quality. */
export const maxWaitingBytes = 128 * 1024 * 1024;
const pausesMs = [500, 1000, 2000, 4000, 8000];
const aliveMs = 10_000;

/** Sends the chunks of a recording in order, while it is made. Without a network they wait in the browser. */
export function createRecordingSender({ upload, transfer, store, sleep = sleepFor, ...begin }: Deps): RecordingSender {
  let confirmed = begin.offset ?? 0;
  let chunks: Chunk[] = chunksAfter(begin.chunks ?? [], confirmed);
  let end = chunks.reduce((latest, { offset, blob }) => Math.max(latest, offset + blob.size), confirmed);
  let length: number | undefined;
  let lengthReported = false;
  let running: Promise<void> | null = null;
  let stopped = false;
  const state = observable<SenderState>({ phase: 'sending', waitingBytes: 0, error: null });
  const update = (next: Partial<SenderState>): void =>
    state.set({ ...state.get(), waitingBytes: end - confirmed, ...next });

  const confirm = (offset: number): void => {
    confirmed = offset;
    chunks = chunksAfter(chunks, offset);
    // The browser's storage may be blocked: the chunks then live in this page only.
    void store.removeBefore(upload, offset).catch(() => undefined);
  };
  const sendNext = async (): Promise<void> => {
    const body = bodyOf(chunks, maxBodyBytes);
    const isLast = length !== undefined && confirmed + body.size === length;
    confirm(await transfer.send(upload, confirmed, body, isLast && !lengthReported ? length : undefined));
    if (isLast) update({ phase: 'done', error: null });
    else update({ phase: 'sending', error: null });
  };
  /** The response to an earlier request was lost: continues where the server is. @returns false when nothing is new. */
  const adoptProgress = async (): Promise<boolean> => {
    const known = await transfer.progress(upload).catch(() => null);
    if (known === null || known.offset > end) return false;
    if (length !== undefined && known.length === length && known.offset === length) {
      confirm(length);
      update({ phase: 'done', error: null });
      return true;
    }
    const isNew = known.offset !== confirmed || (known.length !== null && !lengthReported);
    lengthReported = known.length !== null;
    confirm(known.offset);
    return isNew;
  };
  const hasWork = (): boolean =>
    !stopped &&
    state.get().phase !== 'done' &&
    state.get().phase !== 'failed' &&
    (chunks.length > 0 || length !== undefined);

  const run = async (): Promise<void> => {
    for (let failures = 0; hasWork();) {
      try {
        await sendNext();
        failures = 0;
      } catch (error) {
        const failure = error instanceof ApiError ? error : new ApiError(0, {});
        const mayBeLost = failure.status === 409 || (failure.status === 400 && length !== undefined);
        if (mayBeLost && (await adoptProgress())) continue;
        if (failure.code !== 'upload_offset_conflict' && !isTemporary(failure))
          return update({ phase: 'failed', error: failure });
        update({ phase: 'waiting', error: failure });
        await sleep(pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 8000);
        failures += 1;
      }
    }
  };
  const start = (): Promise<void> => {
    running ??= run().finally(() => (running = null));
    return running;
  };
  const alive = setInterval(() => {
    if (!running) void transfer.progress(upload).catch(() => undefined);
  }, aliveMs);
  const stop = (): void => {
    stopped = true;
    clearInterval(alive);
  };

  return {
    state,
    add: (blob) => {
      if (blob.size === 0) return;
      const chunk = { offset: end, blob };
      end += blob.size;
      chunks.push(chunk);
      void store.add(upload, chunk).catch(() => undefined);
      update({});
      void start();
    },
    finish: async () => {
      length = end;
      // A request in flight does not carry the length.
      await running;
      await start();
      stop();
      const { phase, error } = state.get();
      if (phase !== 'done') throw error ?? new ApiError(0, {});
      await store.remove(upload).catch(() => undefined);
    },
    unsent: () => bodyOf(chunks, Infinity),
    stop,
  };
}

function isTemporary({ status }: ApiError): boolean {
  return status === 0 || status === 401 || status === 408 || status === 423 || status === 429 || status >= 500;
}

function sleepFor(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms));
}
