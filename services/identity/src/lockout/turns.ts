import { rateLimited } from '@overtone/service-kit';

type Limits = { maxWaiting: number; maxWaitMs: number };
type Waiter = { go: () => void };

/** Lets one piece of work run at a time for each key; a bounded number waits for a bounded time. */
export const createTurns = ({ maxWaiting, maxWaitMs }: Limits) => {
  const queues = new Map<string, Waiter[]>();
  const crowded = () =>
    rateLimited('rate_limited', 'Too many attempts at once. Please try again later.', { retryAfterSeconds: 5 });

  const wait = (waiting: Waiter[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const waiter: Waiter = {
        go: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1);
        reject(crowded());
      }, maxWaitMs);
      waiting.push(waiter);
    });

  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const waiting = queues.get(key);
    if (waiting && waiting.length >= maxWaiting) throw crowded();
    if (waiting) await wait(waiting);
    else queues.set(key, []);
    try {
      return await work();
    } finally {
      const next = queues.get(key)?.shift();
      if (next) next.go();
      else queues.delete(key);
    }
  };
};
