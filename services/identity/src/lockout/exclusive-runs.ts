import { AsyncResource } from 'node:async_hooks';
import AsyncLock from 'async-lock';
import { rateLimited } from '@overtone/service-kit';

type Limits = { maxWaiting: number; maxWaitMs: number };

/** Runs one task at a time for each key; the queue and the waiting time are limited. */
export function createExclusiveRuns({ maxWaiting, maxWaitMs }: Limits) {
  const lock = new AsyncLock({ maxPending: Infinity, timeout: maxWaitMs });
  // The lock itself would count a task that has stopped waiting until the running one ends.
  const waiting = new Map<string, number>();
  const addWaiting = (key: string, change: 1 | -1): void => {
    const count = (waiting.get(key) ?? 0) + change;
    if (count > 0) waiting.set(key, count);
    else waiting.delete(key);
  };
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    if ((waiting.get(key) ?? 0) >= maxWaiting) throw tooManyAttempts();
    let started = false;
    addWaiting(key, 1);
    const start = (): Promise<T> => {
      started = true;
      addWaiting(key, -1);
      return work();
    };
    try {
      // Without the binding a waiting task would run in the context of the request before it.
      return await lock.acquire(key, AsyncResource.bind(start));
    } catch (error) {
      if (started) throw error;
      addWaiting(key, -1);
      throw tooManyAttempts();
    }
  };
}

function tooManyAttempts(): Error {
  return rateLimited('rate_limited', 'Too many attempts at once. Please try again later.', { retryAfterSeconds: 5 });
}
