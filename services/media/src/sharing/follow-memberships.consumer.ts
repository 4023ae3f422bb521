import { identityEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Sharing } from './sharing.service.ts';

/** Somebody's groups changed: what was shared with a group they left is gone for them at once. */
export const followMemberships = ({ sharing }: { sharing: Sharing }) =>
  consumer(identityEvents.membershipChanged, 'follow-memberships', (membership) => sharing.setMembership(membership));
