import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { AccessStore } from './access.store.ts';

/** A file was shared, or is no longer: who finds it changes at once, its passages stay as they are. */
export const followAccess = ({ store }: { store: AccessStore }) =>
  consumer(mediaEvents.accessChanged, 'follow-access', (access) => store.setAccess(access));
