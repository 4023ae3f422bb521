import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { rateLimited, tooLarge } from '@overtone/service-kit';
import pLimit from 'p-limit';
import type { Spoken } from './spoken.ts';
import type { Product, Transcript } from './transcript.ts';

export type RenderRequest = { product: Product } & Omit<Transcript, 'segments'>;
type Pages = AsyncIterable<Spoken[]>;
/** The pending request, and its deadline. */
type Requester = { userId: string; signal: AbortSignal };

/** Exports of one user that are waiting, written or being sent. */
const maxPerUser = 4;
const resourceLimits = { maxOldGenerationSizeMb: 512 };

/**
 * Writes exports in worker threads with a heap of their own, two at a time. The result is a file without a name: it
 * ceases to exist when it was sent, and a slow client keeps no thread.
 */
export function createRenderer() {
  const limit = pLimit(2);
  const running = new Map<string, number>();

  /** Calls `use` with the finished file. */
  const withRendered = async <T>(
    request: RenderRequest,
    pages: Pages,
    { userId, signal }: Requester,
    use: (file: FileHandle, bytes: number) => Promise<T>,
  ): Promise<T> => {
    const count = running.get(userId) ?? 0;
    if (count >= maxPerUser)
      throw rateLimited('rate_limited', 'Several of your exports are in progress. Wait until one is finished.', {
        retryAfterSeconds: 5,
      });
    running.set(userId, count + 1);
    try {
      const file = await limit(() => renderToFile(request, pages, signal));
      try {
        return await use(file, (await file.stat()).size);
      } finally {
        await file.close();
      }
    } finally {
      const rest = (running.get(userId) ?? 1) - 1;
      if (rest === 0) running.delete(userId);
      else running.set(userId, rest);
    }
  };
  return { withRendered };
}

async function renderToFile(request: RenderRequest, pages: Pages, signal: AbortSignal): Promise<FileHandle> {
  signal.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), 'overtone-export-'));
  try {
    const path = join(folder, 'export');
    await runWorker({ ...request, path }, pages, signal);
    return await open(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runWorker(workerData: RenderRequest & { path: string }, pages: Pages, signal: AbortSignal) {
  const worker = new Worker(new URL('./render.main.ts', import.meta.url), { workerData, resourceLimits });
  const iterator = pages[Symbol.asyncIterator]();
  const sendPage = async (): Promise<void> => {
    const page = await iterator.next();
    worker.postMessage(page.done ? [] : page.value);
  };
  try {
    await new Promise<void>((resolve, reject) => {
      worker.on('message', (message: 'next' | 'done') => {
        if (message === 'done') resolve();
        else sendPage().catch(reject);
      });
      worker.once('error', (error: NodeJS.ErrnoException) => reject(asAppError(error)));
      worker.once('exit', () => reject(new Error('the worker thread ended')));
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  } finally {
    await Promise.all([worker.terminate(), iterator.return?.()]);
  }
}

function asAppError(error: NodeJS.ErrnoException): Error {
  if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
  const message = 'This transcript is too long for this format. Choose another one.';
  return tooLarge('export_too_large', message, { cause: error });
}
