import type { AccessStore } from './access.store.ts';
import type { FileAccess, Membership } from './access.ts';

export type AccessLoaderDeps = {
  store: AccessStore;
  upstream: { memberships: () => AsyncIterable<Membership>; shared: () => AsyncIterable<FileAccess> };
};

/** Loads all memberships and shares, for events missed while the service was down. */
export function createAccessLoader({ store, upstream }: AccessLoaderDeps) {
  return async (): Promise<void> => {
    for await (const membership of upstream.memberships()) await store.setMembership(membership);
    for await (const access of upstream.shared()) await store.setAccess(access);
  };
}
