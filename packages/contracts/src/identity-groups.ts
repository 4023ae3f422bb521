import { z } from 'zod';
import { routesOf, text, time, uuidParams } from './http.ts';

const route = routesOf('identity');

/** Where a membership comes from: made by a person, or by the directory of that name (specification, "Group mapping"). */
export const membershipSources = ['manual', 'ldap', 'oidc', 'proxy'] as const;
export const mappingSources = ['ldap', 'oidc', 'proxy'] as const;
export type MappingSource = (typeof mappingSources)[number];
/** What a member may do with the group itself. */
export const groupRoles = ['member', 'manager'] as const;
/** What an identity provider may grant: capped at admin. */
export const grantableRoles = ['user', 'admin'] as const;

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
  /** What the caller is in this group; null: not a member. */
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
  }),
  deleteGroup: route({
    method: 'DELETE',
    path: '/api/groups/{uuid}',
    access: 'admin',
    summary: 'Delete a group, its memberships, and the mappings that only lead to it',
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
  }),
};

export const mappingObject = z.object({
  uuid: z.uuid(),
  source: z.enum(mappingSources),
  claim_value: z.string(),
  group_uuid: z.uuid().nullable(),
  group_name: z.string().nullable(),
  grants_role: z.enum(grantableRoles).nullable(),
  description: z.string().nullable(),
  /** Memberships of that group which this source made. */
  member_count: z.int(),
  /** Another mapping that an equal distinguished name reaches too (RFC 4514), though its text differs. */
  warning: z.string().nullable(),
  created_at: time,
  updated_at: time,
});

const claimValue = text(1024).trim().min(1);
/** The cap on the wire; the service and the table refuse a higher role again. */
const grantsRole = z.string().regex(/^(?:user|admin)$/, 'must be user or admin');
const givesNothing = { message: 'A mapping must set group_uuid, grants_role, or both' };

export const mappingRoutes = {
  mappings: route({
    method: 'GET',
    path: '/api/admin/group-mappings',
    access: 'super_admin',
    summary: 'Group mappings',
    query: z.object({ source: z.enum(mappingSources).optional() }),
    answer: z.array(mappingObject),
  }),
  createMapping: route({
    method: 'POST',
    path: '/api/admin/group-mappings',
    access: 'super_admin',
    summary: 'Map a claim to a group, a role (at most admin), or both',
    body: z
      .object({
        source: z.enum(mappingSources),
        claim_value: claimValue,
        group_uuid: z.uuid().nullish(),
        grants_role: grantsRole.nullish(),
        description: text(2000).nullish(),
      })
      .refine((m) => Boolean(m.group_uuid ?? m.grants_role), givesNothing),
    answer: mappingObject,
    status: 201,
  }),
  updateMapping: route({
    method: 'PUT',
    path: '/api/admin/group-mappings/{uuid}',
    access: 'super_admin',
    summary: 'Change a mapping; its source stays',
    params: uuidParams,
    body: z.strictObject({
      claim_value: claimValue.optional(),
      group_uuid: z.uuid().nullable().optional(),
      grants_role: grantsRole.nullable().optional(),
      description: text(2000).nullable().optional(),
    }),
    answer: mappingObject,
  }),
  deleteMapping: route({
    method: 'DELETE',
    path: '/api/admin/group-mappings/{uuid}',
    access: 'super_admin',
    summary: 'Delete a mapping; memberships follow at the next sign-in or sweep',
    params: uuidParams,
  }),
  testMappings: route({
    method: 'POST',
    path: '/api/admin/group-mappings/test',
    access: 'super_admin',
    summary: 'What the mappings make of claims, or of a person in the directory; writes nothing',
    body: z
      .object({
        source: z.enum(mappingSources),
        claim_values: z.array(text(1024)).max(10_000).optional(),
        username: text(320).min(1).optional(),
      })
      .refine((t) => (t.claim_values === undefined) !== (t.username === undefined), {
        message: 'Give either claim_values or username',
      }),
    answer: z.object({
      source: z.enum(mappingSources),
      claim_values: z.array(z.string()),
      matched_claims: z.array(z.string()),
      unmatched_claims: z.array(z.string()),
      groups: z.array(z.object({ uuid: z.uuid(), name: z.string() })),
      grants_role: z.enum(grantableRoles).nullable(),
      legacy_admin: z.boolean(),
      effective_role: z.enum(grantableRoles),
    }),
  }),
};
