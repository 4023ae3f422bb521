import { identityEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Sharing } from './sharing.service.ts';

/** A group was deleted: removes its shares. */
export function forgetGroup({ sharing }: { sharing: Sharing }) {
  return consumer(identityEvents.groupDeleted, 'forget-group', ({ groupId }) => sharing.forgetGroup(groupId));
}
