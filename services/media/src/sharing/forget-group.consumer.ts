import { identityEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Sharing } from './sharing.service.ts';

/** A group was deleted: nothing is shared with it any more, and a later group of that id would get nothing. */
export const forgetGroup = ({ sharing }: { sharing: Sharing }) =>
  consumer(identityEvents.groupDeleted, 'forget-group', ({ groupId }) => sharing.forgetGroup(groupId));
