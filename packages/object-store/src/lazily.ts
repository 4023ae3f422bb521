import type { ObjectStore } from './object-store.ts';

/** A store that is created on first use. */
export function lazily(make: () => Promise<ObjectStore>): ObjectStore {
  let made: Promise<ObjectStore> | undefined;
  const store = (): Promise<ObjectStore> => (made ??= make());
  return {
    put: async (...args) => (await store()).put(...args),
    get: async (...args) => (await store()).get(...args),
    head: async (...args) => (await store()).head(...args),
    exists: async (...args) => (await store()).exists(...args),
    copy: async (...args) => (await store()).copy(...args),
    rename: async (...args) => (await store()).rename(...args),
    delete: async (...args) => (await store()).delete(...args),
    deletePrefix: async (...args) => (await store()).deletePrefix(...args),
    list: async function* (...args) {
      yield* (await store()).list(...args);
    },
    removeLeftovers: async () => (await store()).removeLeftovers(),
    ping: async (...args) => (await store()).ping(...args),
    space: async () => (await store()).space(),
    close: () => void made?.then((opened) => opened.close()),
  };
}
