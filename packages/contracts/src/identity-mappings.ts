import { z } from 'zod';
import { routesOf, text, time } from './http.ts';

const route = routesOf('identity');

export const mappingSources = ['ldap', 'oidc', 'proxy'] as const;
export type MappingSource = (typeof mappingSources)[number];
/** What an identity provider may grant: capped at admin. */
export const grantableRoles = ['user', 'admin'] as const;

export const mappingObject = z.object({
  uuid: z.uuid(),
  source: z.enum(mappingSources),
  claim_value: z.string(),
  group_uuid: z.uuid().nullable(),
  group_name: z.string().nullable(),
  grants_role: z.enum(grantableRoles).nullable(),
  description: z.string().nullable(),
  /** Number of memberships of that group assigned by this source. */
  member_count: z.int(),
  /** Another mapping with an equal distinguished name (RFC 4514) in a different spelling. */
  warning: z.string().nullable(),
  created_at: time,
  updated_at: time,
});

const claimValue = text(1024).trim().min(1);
/** The cap at the API; the service and the table enforce it, too. */
const grantsRole = z.string().regex(/^(?:user|admin)$/, 'must be user or admin');
const givesNothing = { message: 'A mapping must set group_uuid, grants_role, or both' };

export const mappingRoutes = {
  mappings: route('GET', '/api/admin/group-mappings', 'super_admin', {
    summary: 'Group mappings',
    query: z.object({ source: z.enum(mappingSources).optional() }),
    answer: z.array(mappingObject),
  }),
  createMapping: route('POST', '/api/admin/group-mappings', 'super_admin', {
    summary: 'Map a claim to a group, a role (at most admin), or both',
    body: z
      .object({
        source: z.enum(mappingSources),
        claim_value: claimValue,
        group_uuid: z.uuid().nullish(),
        grants_role: grantsRole.nullish(),
        description: text(2000).nullish(),
      })
      .refine((value) => Boolean(value.group_uuid ?? value.grants_role), givesNothing),
    answer: mappingObject,
    status: 201,
    errors: ['not_found', 'mapping_exists', 'mapping_gives_nothing', 'mapping_role_refused'],
  }),
  updateMapping: route('PUT', '/api/admin/group-mappings/{uuid}', 'super_admin', {
    summary: 'Change a mapping; its source stays',
    body: z.strictObject({
      /** Only the source that the mapping has. */
      source: z.enum(mappingSources).optional(),
      claim_value: claimValue.optional(),
      group_uuid: z.uuid().nullable().optional(),
      grants_role: grantsRole.nullable().optional(),
      description: text(2000).nullable().optional(),
    }),
    answer: mappingObject,
    errors: ['mapping_exists', 'mapping_gives_nothing', 'mapping_role_refused'],
  }),
  deleteMapping: route('DELETE', '/api/admin/group-mappings/{uuid}', 'super_admin', {
    summary: 'Delete a mapping; memberships follow at the next sign-in or sync run',
  }),
  testMappings: route('POST', '/api/admin/group-mappings/test', 'super_admin', {
    summary: 'The result of the mappings for claims or for a person in the directory; writes nothing',
    body: z
      .object({
        source: z.enum(mappingSources),
        claim_values: z.array(text(1024)).max(10_000).optional(),
        username: text(320).min(1).optional(),
      })
      .refine((value) => (value.claim_values === undefined) !== (value.username === undefined), {
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
    errors: ['not_found', 'username_not_searchable', 'ldap_disabled', 'directory_unavailable'],
  }),
};
