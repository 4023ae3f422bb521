import { Worker } from 'node:worker_threads';
import { invalid, rateLimited } from '@overtone/service-kit';
import pLimit from 'p-limit';
import type { SearchedText, TextPattern, TextPlace } from './replace.ts';

export type FinderReply = { kind: 'found'; places: TextPlace[][] } | { kind: 'invalid'; reason: string };
type Requester = { userId: string; signal: AbortSignal };
export type FindTexts = (texts: SearchedText[]) => Promise<TextPlace[][]>;

/** Searches of one user that are waiting or running. */
const maxPerUser = 2;
const resourceLimits = { maxOldGenerationSizeMb: 256 };

/** Searches texts in worker threads, two at a time. @param timeoutMs for the texts of one call; a transcript takes a second. */
export function createTextFinder(timeoutMs = 20_000) {
  const limit = pLimit(2);
  const running = new Map<string, number>();
  return {
    /** Calls `use` with a function that searches. The thread ends with it. */
    withFinder: async <T>(
      pattern: TextPattern,
      { userId, signal }: Requester,
      use: (find: FindTexts) => Promise<T>,
    ): Promise<T> => {
      const count = running.get(userId) ?? 0;
      if (count >= maxPerUser)
        throw rateLimited('rate_limited', 'Your last search is still running. Wait until it is finished.', {
          retryAfterSeconds: 2,
        });
      running.set(userId, count + 1);
      try {
        return await limit(() => runWorker(pattern, { signal, timeoutMs }, use));
      } finally {
        const rest = (running.get(userId) ?? 1) - 1;
        if (rest === 0) running.delete(userId);
        else running.set(userId, rest);
      }
    },
  };
}

export type TextFinder = ReturnType<typeof createTextFinder>;

async function runWorker<T>(
  workerData: TextPattern,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
  use: (find: FindTexts) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('./find.main.ts', import.meta.url), { workerData, resourceLimits });
  const failed = new Promise<never>((_, reject) => {
    worker.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooSlow(error) : error),
    );
    worker.once('exit', () => reject(new Error('the worker thread ended')));
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  failed.catch(() => undefined);
  const find: FindTexts = async (texts) => {
    let timer: NodeJS.Timeout | undefined;
    const reply = new Promise<FinderReply>((resolve, reject) => {
      worker.once('message', resolve);
      timer = setTimeout(() => reject(tooSlow()), timeoutMs);
    });
    worker.postMessage(texts);
    const result = await Promise.race([reply, failed]).finally(() => clearTimeout(timer));
    if (result.kind === 'invalid') throw invalid('pattern_invalid', result.reason);
    return result.places;
  };
  try {
    return await use(find);
  } finally {
    await worker.terminate();
  }
}

function tooSlow(cause?: unknown) {
  return invalid('pattern_too_slow', 'This expression takes too long in this transcript. Make it simpler.', { cause });
}
