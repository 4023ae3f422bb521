import type { AccessStore } from './access.store.ts';
import type { FileAccess, Membership } from './access.ts';

export type LearnAccessDeps = {
  store: AccessStore;
  neighbours: { memberships: () => AsyncIterable<Membership>; shared: () => AsyncIterable<FileAccess> };
};

/** Learns by asking what was told while nobody listened. */
export const createLearnAccess =
  ({ store, neighbours }: LearnAccessDeps) =>
  async (): Promise<void> => {
    for await (const membership of neighbours.memberships()) await store.setMembership(membership);
    for await (const access of neighbours.shared()) await store.setAccess(access);
  };
