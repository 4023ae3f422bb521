import { groupRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import { clientOf } from '../client.ts';
import type { Groups } from './groups.service.ts';
import type { Members } from './members.service.ts';

export function groupsRoutes({ groups, members }: { groups: Groups; members: Members }): Route[] {
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
