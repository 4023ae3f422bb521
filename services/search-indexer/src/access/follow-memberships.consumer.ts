import { identityEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { AccessStore } from './access.store.ts';

/** A user's groups changed: they find only files shared with their current groups. */
export function followMemberships({ store }: { store: AccessStore }) {
  return consumer(identityEvents.membershipChanged, 'follow-memberships', (membership) =>
    store.setMembership(membership),
  );
}
