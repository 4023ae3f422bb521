import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { AccessStore } from './access.store.ts';

/** A file's shares changed: updates who may find it; its passages are not indexed again. */
export function followAccess({ store }: { store: AccessStore }) {
  return consumer(mediaEvents.accessChanged, 'follow-access', (access) => store.setAccess(access));
}
