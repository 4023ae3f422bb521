import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { AccessStore } from './access.store.ts';

/** A file's shares changed: updates who may find it; its passages are not indexed again. */
export const followAccess = ({ store }: { store: AccessStore }) =>
  consumer(mediaEvents.accessChanged, 'follow-access', (access) => store.setAccess(access));
