import { identityEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Sharing } from './sharing.service.ts';

/** An account was deleted: what was shared with it alone is shared with nobody. */
export const forgetPerson = ({ sharing }: { sharing: Sharing }) =>
  consumer(identityEvents.userDeleted, 'forget-person', ({ userId }) => sharing.forgetPerson(userId));
