import { identityEvents, identityRpc, mediaEvents, mediaRpc } from '@overtone/contracts';
import { askAll, catchUp, consumer, type Bus, type Slice } from '@overtone/service-kit';
import type { Db, Pool } from '../database.ts';
import type { ScopeReader } from './access.ts';
import { createAccessStore } from './access.store.ts';

const hour = 3_600_000;
const limit = 500;

/** Who may find a file besides its owner: copies of identity's memberships and media's shares. */
export function createAccessSlice({
  db,
  pool,
  bus,
}: {
  db: Db;
  pool: Pool;
  bus: Bus;
}): Slice & { access: ScopeReader } {
  const access = createAccessStore({ db, pool });
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
        for await (const membership of requestMemberships(bus)) await access.setMembership(membership);
        for await (const shared of requestShares(bus)) await access.setAccess(shared);
      }),
    ],
  };
}

function requestMemberships(bus: Bus) {
  const requestPage = async (after: string | null) =>
    (await bus.request(identityRpc.memberships, { after, limit })).users;
  return askAll(requestPage, ({ userId }) => userId);
}

function requestShares(bus: Bus) {
  const requestPage = async (after: string | null) => (await bus.request(mediaRpc.listShared, { after, limit })).files;
  return askAll(requestPage, ({ fileId }) => fileId);
}
