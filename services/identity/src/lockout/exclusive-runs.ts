import { rateLimited } from '@overtone/service-kit';

type Limits = { maxWaiting: number; maxWaitMs: number };
type Waiter = { start: () => void };

/** Runs one task at a time for each key; the queue and the waiting time are limited. */
export function createExclusiveRuns({ maxWaiting, maxWaitMs }: Limits) {
  const queues = new Map<string, Waiter[]>();
  const tooManyWaiting = () =>
    rateLimited('rate_limited', 'Too many attempts at once. Please try again later.', { retryAfterSeconds: 5 });

  const wait = (waiting: Waiter[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const waiter: Waiter = {
        start: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1);
        reject(tooManyWaiting());
      }, maxWaitMs);
      waiting.push(waiter);
    });

  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const waiting = queues.get(key);
    if (waiting && waiting.length >= maxWaiting) throw tooManyWaiting();
    if (waiting) await wait(waiting);
    else queues.set(key, []);
    try {
      return await work();
    } finally {
      const next = queues.get(key)?.shift();
      if (next) next.start();
      else queues.delete(key);
    }
  };
}
