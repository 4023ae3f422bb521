import { AsyncLocalStorage } from 'node:async_hooks';
import { recordActivity } from './activity.ts';

/** The context of the current request, message or job; logs, metrics and traces read it. */
export type Flow = {
  requestId: string;
  /** Route template, event subject or job subject. */
  route: string;
  userId: string | null;
  dbQueries: number;
  /** A client waits for the response at this moment, so requests to other services are limited: see `Bus.request`. */
  isAwaited?: boolean;
};

const storage = new AsyncLocalStorage<Flow>();

export function runInFlow<T>(flow: Flow, work: () => T): T {
  recordActivity();
  return storage.run(flow, work);
}

export function currentFlow(): Flow | undefined {
  return storage.getStore();
}
