import { identityEvents, mediaEvents } from '@overtone/contracts';
import { catchUp, consumer, type Bus, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { createUpstreamAccess } from '../ports/upstream-access.adapter.ts';
import type { AccessScopes } from './access.ts';
import { createAccessStore } from './access.store.ts';

const hour = 3_600_000;

/** Who may find a file besides its owner: copies of identity's memberships and media's shares. */
export function createAccessSlice({ db, bus }: { db: Db; bus: Bus }): Slice & { access: AccessScopes } {
  const access = createAccessStore({ db });
  const upstream = createUpstreamAccess({ bus });
  return {
    access,
    consumers: [
      /** A file's shares changed: updates who may find it; its passages are not indexed again. */
      consumer(mediaEvents.accessChanged, 'follow-access', access.setAccess),
      /** A user's groups changed: they find only files shared with their current groups. */
      consumer(identityEvents.membershipChanged, 'follow-memberships', access.setMembership),
    ],
    periodics: [
      // Events are missed while the service is down for longer than the stream keeps them.
      catchUp('load memberships and shares', hour, async () => {
        for await (const membership of upstream.memberships()) await access.setMembership(membership);
        for await (const shared of upstream.shared()) await access.setAccess(shared);
      }),
    ],
  };
}
