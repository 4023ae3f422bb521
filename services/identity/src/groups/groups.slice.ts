import { groupRoutes, identityRpc } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { clientOf, handle, rpc, type Route, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { createGroups, type Groups } from './groups.service.ts';
import type { Memberships } from './groups.ts';
import { createMembers, type Members } from './members.service.ts';
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
      rpc(identityRpc.readerGroups, async ({ userId }) => ({ groupIds: await groups.groupsOf(userId) })),
    ],
  };
}

function groupsRoutes({ groups, members }: { groups: Groups; members: Members }): Route[] {
  return [
    handle(groupRoutes.groups, ({ caller, query }) => groups.list(caller, query.q ?? '')),
    handle(groupRoutes.createGroup, (request) => {
      const { name, description = '' } = request.body;
      return groups.create(request.caller, { name, description }, clientOf(request));
    }),
    handle(groupRoutes.group, ({ caller, params }) => groups.get(caller, params.uuid)),
    handle(groupRoutes.updateGroup, (request) =>
      groups.update(request.caller, request.params.uuid, request.body, clientOf(request)),
    ),
    handle(groupRoutes.deleteGroup, (request) => groups.delete(request.caller, request.params.uuid, clientOf(request))),
    handle(groupRoutes.addMember, (request) => {
      const { user_uuid: userId, role } = request.body;
      return members.add(request.caller, { groupId: request.params.uuid, userId, role }, clientOf(request));
    }),
    handle(groupRoutes.changeMember, (request) => {
      const { uuid: groupId, user_uuid: userId } = request.params;
      return members.change(request.caller, { groupId, userId, role: request.body.role }, clientOf(request));
    }),
    handle(groupRoutes.removeMember, (request) => {
      const { uuid: groupId, user_uuid: userId } = request.params;
      return members.remove(request.caller, { groupId, userId }, clientOf(request));
    }),
  ];
}
