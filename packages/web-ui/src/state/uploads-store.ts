import { ApiError } from '@overtone/client';
import { observable, type Observable } from '../lib/observable.ts';
import type { Transfer, TransferListener } from './tus.adapter.ts';
import {
  fromStore,
  isFinished,
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
  /** The file that the server made of an upload, which has received all of it; null for every other upload. */
  readonly findReceived: (url: string, size: number) => Promise<string | null>;
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null;
};

const maxConcurrent = 2;
/** How often the progress is stored; it is only needed after a reload. */
const saveEveryMs = 2000;
/** How long a finished upload stays listed: by then the library shows the recording. */
const keepDoneMs = 20_000;

/** All uploads of this page: at most two send at a time, the others queue. */
export function createUploads({ renew, onDone, findReceived, storage }: Deps): Uploads {
  const uploads = createUploadList(storage);
  const sender = createSender({ uploads, renew, onDone, findReceived });
  const { list, dispatch } = uploads;
  const dispatchAndStart = (id: string, event: UploadEvent): void => {
    dispatch(id, event);
    sender.startQueued();
  };
  return {
    list,
    add: (items) => {
      const added = items.map(({ file, options }) => ({ file, upload: newUpload(newId(), file, options) }));
      for (const { file, upload } of added) sender.setFile(upload.id, file);
      uploads.append(added.map(({ upload }) => upload));
      sender.startQueued();
    },
    pause: (id) => {
      sender.pause(id);
      dispatchAndStart(id, { type: 'pause' });
    },
    resume: (id) => dispatchAndStart(id, { type: 'resume' }),
    retry: (id) => dispatchAndStart(id, { type: 'retry' }),
    uploadAnyway: (id) => dispatchAndStart(id, { type: 'upload_anyway' }),
    cancel: (id) => {
      sender.cancel(id);
      uploads.remove((upload) => upload.id === id);
      sender.startQueued();
    },
    resumeWith: (chosen) => {
      const rest = chosen.filter((file) => {
        const match = list.get().find((upload) => upload.phase.name === 'needs_file' && isSameFile(upload, file));
        if (match) {
          sender.setFile(match.id, file);
          dispatch(match.id, { type: 'resume' });
        }
        return !match;
      });
      sender.startQueued();
      return rest;
    },
    clearFinished: () => uploads.remove(isFinished),
    restore: (userId) => {
      uploads.restore(userId);
      void sender.endReceived();
    },
    forget: () => {
      sender.stopAll();
      uploads.forget();
    },
  };
}

/** The uploads of one user; those that are not finished survive a reload of the page. */
function createUploadList(storage: Deps['storage']) {
  const list = observable<readonly Upload[]>([]);
  let owner: string | null = null;
  let savedAt = 0;
  const save = (): void => {
    savedAt = performance.now();
    if (owner === null || !storage) return;
    try {
      storage.setItem(keyOf(owner), JSON.stringify(toStore(list.get())));
    } catch {
      // The storage is full or blocked: the upload continues, but would not survive a reload.
    }
  };
  return {
    list,
    find: (id: string): Upload | undefined => list.get().find((upload) => upload.id === id),
    dispatch: (id: string, event: UploadEvent): void => {
      list.set(list.get().map((upload) => (upload.id === id ? reduceUpload(upload, event) : upload)));
      if (event.type !== 'progress' || performance.now() - savedAt >= saveEveryMs) save();
    },
    append: (uploads: readonly Upload[]): void => {
      list.set([...list.get(), ...uploads]);
      save();
    },
    remove: (isRemoved: (upload: Upload) => boolean): void => {
      list.set(list.get().filter((upload) => !isRemoved(upload)));
      save();
    },
    restore: (userId: string): void => {
      if (owner === userId) return;
      owner = userId;
      list.set(fromStore(storage?.getItem(keyOf(userId)) ?? null));
    },
    forget: (): void => {
      owner = null;
      list.set([]);
    },
  };
}

type SenderDeps = Pick<Deps, 'renew' | 'onDone' | 'findReceived'> & {
  readonly uploads: ReturnType<typeof createUploadList>;
};

/** Sends the files of queued uploads. */
function createSender({ uploads: { list, find, dispatch, remove }, renew, onDone, findReceived }: SenderDeps) {
  const files = new Map<string, File>();
  const transfers = new Map<string, Transfer>();

  const createListener = (id: string): TransferListener => ({
    onLocated: (url) => dispatch(id, { type: 'located', url }),
    onProgress: (sent) => dispatch(id, { type: 'progress', sent, at: performance.now() }),
    onConnectionLost: () => dispatch(id, { type: 'connection_lost' }),
    onDone: (fileId) => {
      files.delete(id);
      endTransfer(id, { type: 'done', fileId });
      onDone(fileId);
      setTimeout(() => remove((upload) => upload.id === id), keepDoneMs);
    },
    onFailed: (error) => endTransfer(id, eventOf(error)),
  });
  const endTransfer = (id: string, event: UploadEvent): void => {
    transfers.delete(id);
    dispatch(id, event);
    startQueued();
  };
  const startUpload = async (id: string, file: File): Promise<void> => {
    const listener = createListener(id);
    dispatch(id, { type: 'start' });
    const client = (await readProblem(file)) ?? (await import('./tus.adapter.ts').catch(() => new ApiError(0, {})));
    if (client instanceof ApiError) return listener.onFailed(client);
    const current = find(id);
    if (current?.phase.name === 'sending') transfers.set(id, client.startTransfer(file, current, renew, listener));
  };
  const startQueued = (): void => {
    for (const { id, phase } of list.get()) {
      const file = files.get(id);
      const busy = list.get().filter((upload) => upload.phase.name === 'sending' || upload.phase.name === 'waiting');
      if (phase.name === 'queued' && file && busy.length < maxConcurrent) void startUpload(id, file);
    }
  };
  const pause = (id: string): void => {
    transfers.get(id)?.pause();
    transfers.delete(id);
  };
  return {
    startQueued,
    pause,
    setFile: (id: string, file: File): void => void files.set(id, file),
    /** Ends the uploads of an earlier page whose last part arrived: their files need not be chosen again. */
    endReceived: async (): Promise<void> => {
      for (const { id, url, size } of list.get()) {
        if (url === null || find(id)?.phase.name !== 'needs_file') continue;
        const fileId = await findReceived(url, size);
        if (fileId !== null && find(id)?.phase.name === 'needs_file') createListener(id).onDone(fileId);
      }
    },
    /** Stops a transfer and deletes what the server has received of it. */
    cancel: (id: string): void => {
      const transfer = transfers.get(id);
      const url = find(id)?.url ?? null;
      if (transfer) transfer.cancel();
      else if (url !== null) void import('./tus.adapter.ts').then((tus) => tus.deleteTransfer(url));
      transfers.delete(id);
      files.delete(id);
    },
    stopAll: (): void => {
      for (const id of transfers.keys()) pause(id);
      files.clear();
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
