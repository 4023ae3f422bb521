import { AsyncLocalStorage } from 'node:async_hooks';

/** A service of a process that runs several; its timers, connections and requests keep it. */
export type CurrentService = { readonly name: string };

const storage = new AsyncLocalStorage<CurrentService>();

/** Runs `work` as code of a service. */
export function runAsService<T>(service: CurrentService, work: () => T): T {
  return storage.run(service, work);
}

/** The service that the running code belongs to; undefined outside of a service. */
export function currentService(): CurrentService | undefined {
  return storage.getStore();
}
