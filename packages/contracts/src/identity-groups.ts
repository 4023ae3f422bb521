import { z } from 'zod';
import { line, routesOf, text, time } from './http.ts';

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

const groupName = line(200).min(1);

export const groupRoutes = {
  groups: route('GET', '/api/groups', 'user', {
    summary: "The caller's groups; all groups for an administrator",
    query: z.object({ q: text(200).optional() }),
    answer: z.array(groupObject),
  }),
  createGroup: route('POST', '/api/groups', 'admin', {
    summary: 'Make a group',
    body: z.object({ name: groupName, description: text(2000).optional() }),
    answer: groupDetail,
    status: 201,
    errors: ['group_name_taken'],
  }),
  group: route('GET', '/api/groups/{uuid}', 'user', {
    summary: 'A group with its members',
    answer: groupDetail,
  }),
  updateGroup: route('PUT', '/api/groups/{uuid}', 'user', {
    summary: 'Rename or describe a group (its managers and administrators)',
    body: z.object({ name: groupName.optional(), description: text(2000).optional() }),
    answer: groupDetail,
    errors: ['group_name_taken'],
  }),
  deleteGroup: route('DELETE', '/api/groups/{uuid}', 'admin', {
    summary: 'Delete a group, its memberships, and the mappings that only grant it',
  }),
  addMember: route('POST', '/api/groups/{uuid}/members', 'user', {
    summary: 'Add a member by hand (managers of the group and administrators)',
    body: z.object({ user_uuid: z.uuid(), role: z.enum(groupRoles).default('member') }),
    answer: groupMember,
    status: 201,
    errors: ['already_member'],
  }),
  changeMember: route('PUT', '/api/groups/{uuid}/members/{user_uuid}', 'user', {
    summary: 'Change what a member may do with the group',
    body: z.object({ role: z.enum(groupRoles) }),
    answer: groupMember,
  }),
  removeMember: route('DELETE', '/api/groups/{uuid}/members/{user_uuid}', 'user', {
    summary: 'Remove a member (managers, administrators), or leave the group',
    errors: ['membership_from_directory'],
  }),
};
