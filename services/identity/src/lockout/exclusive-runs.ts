import { AsyncResource } from 'node:async_hooks';
import AsyncLock from 'async-lock';
import { rateLimited } from '@overtone/service-kit';

type Limits = { maxWaiting: number; maxWaitMs: number };

/** Runs one task at a time for each key; the queue and the waiting time are limited. */
export function createExclusiveRuns({ maxWaiting, maxWaitMs }: Limits) {
  const lock = new AsyncLock({ maxPending: maxWaiting, timeout: maxWaitMs });
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    let started = false;
    const start = (): Promise<T> => {
      started = true;
      return work();
    };
    try {
      // Without the binding a waiting task would run in the context of the request before it.
      return await lock.acquire(key, AsyncResource.bind(start));
    } catch (error) {
      if (started) throw error;
      throw rateLimited('rate_limited', 'Too many attempts at once. Please try again later.', { retryAfterSeconds: 5 });
    }
  };
}
