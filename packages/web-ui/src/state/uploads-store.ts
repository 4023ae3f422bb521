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
  /** Resumes unfinished uploads with the chosen files. @returns the files that belong to none of them. */
  readonly resumeWith: (files: readonly File[]) => File[];
  readonly clearFinished: () => void;
  /** Loads the unfinished uploads of the signed-in user. */
  readonly restore: (userId: string) => void;
  /** Stops all uploads at sign-out and removes them from memory. */
  readonly forget: () => void;
};

type Deps = {
  readonly renew: () => Promise<boolean>;
  readonly onDone: (fileId: string | null) => void;
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null;
};

const maxConcurrent = 2;
/** How often the progress is stored; it is only needed after a reload. */
const saveEveryMs = 2000;
/** How long a finished upload stays listed: by then the library shows the recording. */
const keepDoneMs = 20_000;

/** All uploads of this page: at most two send at a time, the others queue. */
export function createUploads({ renew, onDone, storage }: Deps): Uploads {
  const list = observable<readonly Upload[]>([]);
  const files = new Map<string, File>();
  const transfers = new Map<string, Transfer>();
  let owner: string | null = null;
  let savedAt = 0;

  const find = (id: string): Upload | undefined => list.get().find((upload) => upload.id === id);
  const save = (): void => {
    if (owner === null || !storage) return;
    try {
      storage.setItem(keyOf(owner), JSON.stringify(toStore(list.get())));
    } catch {
      // The storage is full or blocked: the upload continues, but would not survive a reload.
    }
  };
  const dispatch = (id: string, event: UploadEvent): void => {
    list.set(list.get().map((upload) => (upload.id === id ? reduceUpload(upload, event) : upload)));
    if (event.type === 'progress' && performance.now() - savedAt < saveEveryMs) return;
    savedAt = performance.now();
    save();
  };
  const stopTransfer = (id: string, method: 'pause' | 'cancel'): void => {
    transfers.get(id)?.[method]();
    transfers.delete(id);
  };
  const createListener = (id: string): TransferListener => ({
    onLocated: (url) => dispatch(id, { type: 'located', url }),
    onProgress: (sent) => dispatch(id, { type: 'progress', sent, at: performance.now() }),
    onConnectionLost: () => dispatch(id, { type: 'connection_lost' }),
    onDone: (fileId) => {
      transfers.delete(id);
      files.delete(id);
      dispatch(id, { type: 'done', fileId });
      onDone(fileId);
      setTimeout(() => list.set(list.get().filter((upload) => upload.id !== id)), keepDoneMs);
      startQueued();
    },
    onFailed: (error) => {
      transfers.delete(id);
      dispatch(id, eventOf(error));
      startQueued();
    },
  });
  const startUpload = async (upload: Upload, file: File): Promise<void> => {
    dispatch(upload.id, { type: 'start' });
    const unreadable = await readProblem(file);
    if (unreadable !== null) return createListener(upload.id).onFailed(unreadable);
    const adapter = await import('./tus.adapter.ts').catch(() => null);
    if (adapter === null) return createListener(upload.id).onFailed(new ApiError(0, {}));
    const current = find(upload.id);
    if (current?.phase.name === 'sending')
      transfers.set(upload.id, adapter.startTransfer(file, current, renew, createListener(upload.id)));
  };
  const startQueued = (): void => {
    for (const upload of list.get().filter(({ phase }) => phase.name === 'queued')) {
      const busy = list.get().filter(({ phase }) => phase.name === 'sending' || phase.name === 'waiting').length;
      if (busy >= maxConcurrent) return;
      const file = files.get(upload.id);
      if (file) void startUpload(upload, file);
    }
  };
  const dispatchAndStart = (id: string, event: UploadEvent): void => {
    dispatch(id, event);
    startQueued();
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
      startQueued();
    },
    pause: (id) => {
      stopTransfer(id, 'pause');
      dispatchAndStart(id, { type: 'pause' });
    },
    resume: (id) => dispatchAndStart(id, { type: 'resume' }),
    retry: (id) => dispatchAndStart(id, { type: 'retry' }),
    uploadAnyway: (id) => dispatchAndStart(id, { type: 'upload_anyway' }),
    cancel: (id) => {
      const url = find(id)?.url ?? null;
      if (transfers.has(id)) stopTransfer(id, 'cancel');
      else if (url !== null) void import('./tus.adapter.ts').then((tus) => tus.deleteTransfer(url));
      files.delete(id);
      list.set(list.get().filter((upload) => upload.id !== id));
      save();
      startQueued();
    },
    resumeWith: (chosen) => {
      const rest: File[] = [];
      for (const file of chosen) {
        const match = list.get().find((upload) => upload.phase.name === 'needs_file' && isSameFile(upload, file));
        if (match) {
          files.set(match.id, file);
          dispatch(match.id, { type: 'resume' });
        } else rest.push(file);
      }
      startQueued();
      return rest;
    },
    clearFinished: () => {
      list.set(
        list
          .get()
          .filter(({ phase }) => phase.name !== 'done' && phase.name !== 'duplicate' && phase.name !== 'failed'),
      );
      save();
    },
    restore: (userId) => {
      if (owner === userId) return;
      owner = userId;
      list.set(fromStore(storage?.getItem(keyOf(userId)) ?? null));
    },
    forget: () => {
      for (const id of transfers.keys()) stopTransfer(id, 'pause');
      files.clear();
      owner = null;
      list.set([]);
    },
  };
}

function keyOf(userId: string): string {
  return `overtone-uploads-${userId}`;
}

function eventOf(error: ApiError): UploadEvent {
  if (error.code === 'duplicate_file') {
    const existing = error.body['duplicate_file_uuid'];
    return { type: 'duplicate', existing: typeof existing === 'string' ? existing : null, message: error.message };
  }
  const retryable = error.status === 0 || error.status === 401 || error.status === 429 || error.status >= 500;
  return { type: 'fail', message: error.message, code: error.code, retryable };
}

/** `crypto.randomUUID` exists in secure contexts only, and plain HTTP in a company network is not one. */
function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
