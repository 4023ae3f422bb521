import { identityEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Sharing } from './sharing.service.ts';

/** An account was deleted: removes the shares with it. */
export function forgetPerson({ sharing }: { sharing: Sharing }) {
  return consumer(identityEvents.userDeleted, 'forget-person', ({ userId }) => sharing.forgetPerson(userId));
}
