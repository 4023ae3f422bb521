import { identityEvents } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Memberships } from './groups.ts';
import { membershipsStore as store } from './memberships.store.ts';

export function createMemberships({ outbox }: { outbox: Outbox }): Memberships {
  return {
    syncMemberships: async (tx, wanted) => {
      const moved = await store.syncMemberships(tx, wanted);
      if (!moved) return { added: [], removed: [] };
      await outbox.addAll(tx, identityEvents.membershipChanged, await store.allGroupsOf(tx, [wanted.userId]));
      return moved;
    },
  };
}
