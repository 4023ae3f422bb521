import { identityEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Sharing } from './sharing.service.ts';

/** A user's groups changed: files shared with a group they left become invisible to them. */
export function followMemberships({ sharing }: { sharing: Sharing }) {
  return consumer(identityEvents.membershipChanged, 'follow-memberships', (membership) =>
    sharing.setMembership(membership),
  );
}
