import { z } from 'zod';
import { routesOf, text, time, uuidParams } from './http.ts';

const route = routesOf('identity');

/** Source of a membership: a person, or the directory of that name (specification, "Group mapping"). */
export const membershipSources = ['manual', 'ldap', 'oidc', 'proxy'] as const;
/** What a member may do with the group itself. */
export const groupRoles = ['member', 'manager'] as const;

export const groupMember = z.object({
  user_id: z.uuid(),
  email: z.string(),
  full_name: z.string(),
  role: z.enum(groupRoles),
  source: z.enum(membershipSources),
  added_at: time,
});
export const groupObject = z.object({
  uuid: z.uuid(),
  name: z.string(),
  description: z.string(),
  member_count: z.int(),
  /** The caller's role in this group; null: not a member. */
  my_role: z.enum(groupRoles).nullable(),
  created_at: time,
  updated_at: time,
});
export const groupDetail = groupObject.extend({ members: z.array(groupMember) });

const groupName = text(200).trim().min(1);
const memberParams = z.object({ uuid: z.uuid(), user_uuid: z.uuid() });

export const groupRoutes = {
  groups: route({
    method: 'GET',
    path: '/api/groups',
    access: 'user',
    summary: "The caller's groups; all groups for an administrator",
    query: z.object({ q: text(200).optional() }),
    answer: z.array(groupObject),
  }),
  createGroup: route({
    method: 'POST',
    path: '/api/groups',
    access: 'admin',
    summary: 'Make a group',
    body: z.object({ name: groupName, description: text(2000).optional() }),
    answer: groupDetail,
    status: 201,
    errors: ['group_name_taken'],
  }),
  group: route({
    method: 'GET',
    path: '/api/groups/{uuid}',
    access: 'user',
    summary: 'A group with its members',
    params: uuidParams,
    answer: groupDetail,
  }),
  updateGroup: route({
    method: 'PUT',
    path: '/api/groups/{uuid}',
    access: 'user',
    summary: 'Rename or describe a group (its managers and administrators)',
    params: uuidParams,
    body: z.object({ name: groupName.optional(), description: text(2000).optional() }),
    answer: groupDetail,
    errors: ['group_name_taken'],
  }),
  deleteGroup: route({
    method: 'DELETE',
    path: '/api/groups/{uuid}',
    access: 'admin',
    summary: 'Delete a group, its memberships, and the mappings that only grant it',
    params: uuidParams,
  }),
  addMember: route({
    method: 'POST',
    path: '/api/groups/{uuid}/members',
    access: 'user',
    summary: 'Add a member by hand (managers of the group and administrators)',
    params: uuidParams,
    body: z.object({ user_uuid: z.uuid(), role: z.enum(groupRoles).default('member') }),
    answer: groupMember,
    status: 201,
    errors: ['already_member'],
  }),
  changeMember: route({
    method: 'PUT',
    path: '/api/groups/{uuid}/members/{user_uuid}',
    access: 'user',
    summary: 'Change what a member may do with the group',
    params: memberParams,
    body: z.object({ role: z.enum(groupRoles) }),
    answer: groupMember,
  }),
  removeMember: route({
    method: 'DELETE',
    path: '/api/groups/{uuid}/members/{user_uuid}',
    access: 'user',
    summary: 'Remove a member (managers, administrators), or leave the group',
    params: memberParams,
    errors: ['membership_from_directory'],
  }),
};
