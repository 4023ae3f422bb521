import { identityRpc } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { rpc, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { groupsRoutes } from './groups.routes.ts';
import { createGroups } from './groups.service.ts';
import type { Memberships } from './groups.ts';
import { createMembers } from './members.service.ts';
import { createMemberships } from './memberships.service.ts';

type Deps = { db: Db; outbox: Outbox };

/** Groups, their members, and the memberships that a source grants. */
export function createGroupsSlice({ db, outbox }: Deps): Slice & { memberships: Memberships } {
  const groups = createGroups({ db, outbox });
  return {
    memberships: createMemberships({ outbox }),
    routes: groupsRoutes({ groups, members: createMembers({ db, outbox }) }),
    rpcs: [
      rpc(identityRpc.memberships, async ({ after, limit }) => ({ users: await groups.memberships(after, limit) })),
    ],
  };
}
