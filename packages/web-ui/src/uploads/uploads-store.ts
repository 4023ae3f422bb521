import { observable, type Observable } from '../lib/observable.ts';
import { ApiError } from '../api/problem.ts';
import type { Transfer, TransferListener } from './tus.adapter.ts';
import {
  fromStore,
  isSameFile,
  newUpload,
  readProblem,
  reduceUpload,
  toStore,
  type Upload,
  type UploadEvent,
  type UploadOptions,
} from './upload.ts';

export type Uploads = {
  readonly list: Observable<readonly Upload[]>;
  readonly add: (items: readonly { file: File; options: UploadOptions }[]) => void;
  readonly pause: (id: string) => void;
  readonly resume: (id: string) => void;
  readonly retry: (id: string) => void;
  readonly uploadAnyway: (id: string) => void;
  readonly cancel: (id: string) => void;
  /** Takes files that continue unfinished uploads of an earlier page; gives back the others. */
  readonly continueWith: (files: readonly File[]) => File[];
  readonly clearFinished: () => void;
  /** Of the signed-in person: what an earlier page left unfinished. */
  readonly restore: (userId: string) => void;
  /** Sign-out: stops everything and shows nothing of it to the next person. */
  readonly forget: () => void;
};

type Deps = {
  readonly renew: () => Promise<boolean>;
  readonly onDone: (fileId: string | null) => void;
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null;
};

const atOnce = 2;
/** How often progress is written down; only what a reload shows depends on it. */
const saveEveryMs = 2000;
/** How long a finished upload stays in sight: the library shows the recording by then. */
const leaveDoneMs = 20_000;
const keyOf = (userId: string): string => `overtone-uploads-${userId}`;

/** All uploads of this page: at most two send at a time, the others queue. */
export const createUploads = ({ renew, onDone, storage }: Deps): Uploads => {
  const list = observable<readonly Upload[]>([]);
  const files = new Map<string, File>();
  const transfers = new Map<string, Transfer>();
  let owner: string | null = null;
  let savedAt = 0;

  const find = (id: string): Upload | undefined => list.get().find((u) => u.id === id);
  const save = (): void => {
    if (owner === null || !storage) return;
    try {
      storage.setItem(keyOf(owner), JSON.stringify(toStore(list.get())));
    } catch {
      // Storage is full or blocked: the upload goes on, only a reload would lose it.
    }
  };
  const dispatch = (id: string, event: UploadEvent): void => {
    list.set(list.get().map((u) => (u.id === id ? reduceUpload(u, event) : u)));
    if (event.type === 'progress' && performance.now() - savedAt < saveEveryMs) return;
    savedAt = performance.now();
    save();
  };
  const stop = (id: string, how: 'pause' | 'cancel'): void => {
    transfers.get(id)?.[how]();
    transfers.delete(id);
  };
  const listenTo = (id: string): TransferListener => ({
    located: (url) => dispatch(id, { type: 'located', url }),
    progress: (sent) => dispatch(id, { type: 'progress', sent, at: performance.now() }),
    connectionLost: () => dispatch(id, { type: 'connection_lost' }),
    done: (fileId) => {
      transfers.delete(id);
      files.delete(id);
      dispatch(id, { type: 'done', fileId });
      onDone(fileId);
      setTimeout(() => list.set(list.get().filter((u) => u.id !== id)), leaveDoneMs);
      pump();
    },
    failed: (error) => {
      transfers.delete(id);
      dispatch(id, outcomeOf(error));
      pump();
    },
  });
  const begin = async (upload: Upload, file: File): Promise<void> => {
    dispatch(upload.id, { type: 'start' });
    const unreadable = await readProblem(file);
    if (unreadable !== null) return listenTo(upload.id).failed(unreadable);
    const adapter = await import('./tus.adapter.ts').catch(() => null);
    if (adapter === null) return listenTo(upload.id).failed(new ApiError(0, {}));
    const now = find(upload.id);
    if (now?.phase.name === 'sending')
      transfers.set(upload.id, adapter.startTransfer(file, now, renew, listenTo(upload.id)));
  };
  const pump = (): void => {
    for (const upload of list.get().filter((u) => u.phase.name === 'queued')) {
      const busy = list.get().filter((u) => u.phase.name === 'sending' || u.phase.name === 'waiting').length;
      if (busy >= atOnce) return;
      const file = files.get(upload.id);
      if (file) void begin(upload, file);
    }
  };
  const after = (id: string, event: UploadEvent): void => {
    dispatch(id, event);
    pump();
  };
  return {
    list,
    add: (items) => {
      const added = items.map(({ file, options }) => {
        const upload = newUpload(newId(), file, options);
        files.set(upload.id, file);
        return upload;
      });
      list.set([...list.get(), ...added]);
      save();
      pump();
    },
    pause: (id) => {
      stop(id, 'pause');
      after(id, { type: 'pause' });
    },
    resume: (id) => after(id, { type: 'resume' }),
    retry: (id) => after(id, { type: 'retry' }),
    uploadAnyway: (id) => after(id, { type: 'upload_anyway' }),
    cancel: (id) => {
      const url = find(id)?.url ?? null;
      if (transfers.has(id)) stop(id, 'cancel');
      else if (url !== null) void import('./tus.adapter.ts').then((tus) => tus.forgetTransfer(url));
      files.delete(id);
      list.set(list.get().filter((u) => u.id !== id));
      save();
      pump();
    },
    continueWith: (chosen) => {
      const rest: File[] = [];
      for (const file of chosen) {
        const match = list.get().find((u) => u.phase.name === 'needs_file' && isSameFile(u, file));
        if (match) {
          files.set(match.id, file);
          dispatch(match.id, { type: 'resume' });
        } else rest.push(file);
      }
      pump();
      return rest;
    },
    clearFinished: () => {
      list.set(
        list.get().filter((u) => u.phase.name !== 'done' && u.phase.name !== 'duplicate' && u.phase.name !== 'failed'),
      );
      save();
    },
    restore: (userId) => {
      if (owner === userId) return;
      owner = userId;
      list.set(fromStore(storage?.getItem(keyOf(userId)) ?? null));
    },
    forget: () => {
      for (const id of transfers.keys()) stop(id, 'pause');
      files.clear();
      owner = null;
      list.set([]);
    },
  };
};

const outcomeOf = (error: ApiError): UploadEvent => {
  if (error.code === 'duplicate_file') {
    const existing = error.body['duplicate_file_uuid'];
    return { type: 'duplicate', existing: typeof existing === 'string' ? existing : null, words: error.message };
  }
  const retryable = error.status === 0 || error.status === 401 || error.status === 429 || error.status >= 500;
  return { type: 'fail', words: error.message, code: error.code, retryable };
};

/** `crypto.randomUUID` exists in secure contexts only; plain HTTP inside a company network is not one. */
const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, '0')).join('');
