import { identityEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { AccessStore } from './access.store.ts';

/** Somebody's groups changed: they find what is shared with the groups they are in now, and nothing else. */
export const followMemberships = ({ store }: { store: AccessStore }) =>
  consumer(identityEvents.membershipChanged, 'follow-memberships', (membership) => store.setMembership(membership));
