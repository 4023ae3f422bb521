import { groupRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import { clientOf } from '../client.ts';
import type { Groups } from './groups.service.ts';
import type { Members } from './members.service.ts';

export function groupsRoutes({ groups, members }: { groups: Groups; members: Members }): Route[] {
  return [
    handle(groupRoutes.groups, ({ caller, query }) => groups.list(caller, query.q ?? '')),
    handle(groupRoutes.createGroup, (r) => {
      const { name, description = '' } = r.body;
      return groups.create(r.caller, { name, description }, clientOf(r));
    }),
    handle(groupRoutes.group, ({ caller, params }) => groups.get(caller, params.uuid)),
    handle(groupRoutes.updateGroup, (r) => groups.update(r.caller, r.params.uuid, r.body, clientOf(r))),
    handle(groupRoutes.deleteGroup, (r) => groups.delete(r.caller, r.params.uuid, clientOf(r))),
    handle(groupRoutes.addMember, (r) => {
      const { user_uuid: userId, role } = r.body;
      return members.add(r.caller, { groupId: r.params.uuid, userId, role }, clientOf(r));
    }),
    handle(groupRoutes.changeMember, (r) => {
      const { uuid: groupId, user_uuid: userId } = r.params;
      return members.change(r.caller, { groupId, userId, role: r.body.role }, clientOf(r));
    }),
    handle(groupRoutes.removeMember, (r) => {
      const { uuid: groupId, user_uuid: userId } = r.params;
      return members.remove(r.caller, { groupId, userId }, clientOf(r));
    }),
  ];
}
