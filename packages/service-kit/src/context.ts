import { AsyncLocalStorage } from 'node:async_hooks';

/** The context of the current request, message or job; logs, metrics and traces read it. */
export type Flow = {
  requestId: string;
  /** Route template, event subject or job subject. */
  route: string;
  userId: string | null;
  dbQueries: number;
};

const storage = new AsyncLocalStorage<Flow>();
export const runInFlow = <T>(flow: Flow, work: () => T): T => storage.run(flow, work);
export const currentFlow = (): Flow | undefined => storage.getStore();
