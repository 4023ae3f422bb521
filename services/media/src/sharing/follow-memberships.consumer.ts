import { identityEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Sharing } from './sharing.service.ts';

/** A user's groups changed: files shared with a group they left become invisible to them. */
export const followMemberships = ({ sharing }: { sharing: Sharing }) =>
  consumer(identityEvents.membershipChanged, 'follow-memberships', (membership) => sharing.setMembership(membership));
