import { z } from 'zod';
import { defineEvent, defineRpc, roles } from './define.ts';
import { resolvedSession } from './identity-objects.ts';

export const identityEvents = {
  userCreated: defineEvent(
    'evt.identity.user.created.v1',
    z.object({
      userId: z.uuid(),
      role: z.enum(roles),
      method: z.enum(['local', 'ldap', 'keycloak', 'pki', 'external']),
    }),
  ),
  userUpdated: defineEvent(
    'evt.identity.user.updated.v1',
    z.object({ userId: z.uuid(), role: z.enum(roles), active: z.boolean() }),
  ),
  userDisabled: defineEvent(
    'evt.identity.user.disabled.v1',
    z.object({ userId: z.uuid(), by: z.enum(['administrator', 'directory']), reason: z.string() }),
  ),
  userDeleted: defineEvent('evt.identity.user.deleted.v1', z.object({ userId: z.uuid() })),
  roleChanged: defineEvent(
    'evt.identity.role.changed.v1',
    // actor: a person's uuid, idp_login or directory_sync.
    z.object({ userId: z.uuid(), from: z.enum(roles), to: z.enum(roles), actor: z.string() }),
  ),
  sessionRevoked: defineEvent(
    'evt.identity.session.revoked.v1',
    // sessionId null: every session of the user.
    z.object({ userId: z.uuid(), sessionId: z.uuid().nullable(), reason: z.string() }),
  ),
  groupChanged: defineEvent('evt.identity.group.changed.v1', z.object({ groupId: z.uuid(), name: z.string() })),
  groupDeleted: defineEvent(
    'evt.identity.group.deleted.v1',
    // deletedBy: missing in events of versions before it was added.
    z.object({ groupId: z.uuid(), deletedBy: z.uuid().optional() }),
  ),
  membershipChanged: defineEvent(
    'evt.identity.membership.changed.v1',
    // All current groups of the user; of two events of one user the one with the higher version is newer.
    z.object({ userId: z.uuid(), groupIds: z.array(z.uuid()), version: z.int() }),
  ),
  settingsChanged: defineEvent(
    'evt.identity.settings.changed.v1',
    z.object({ category: z.string(), keys: z.array(z.string()) }),
  ),
};

export const identityRpc = {
  resolveSession: defineRpc('identity', 'resolve-session', {
    request: z.object({ accessToken: z.string().max(4096) }),
    reply: z.object({ session: resolvedSession.nullable() }),
    timeoutMs: 2_000,
  }),
  names: defineRpc('identity', 'names', {
    request: z.object({ userIds: z.array(z.uuid()).max(500) }),
    reply: z.object({ users: z.array(z.object({ userId: z.uuid(), email: z.string(), fullName: z.string() })) }),
  }),
  /** Active accounts by e-mail address or directory user name; a name of several accounts is left out. */
  findAccounts: defineRpc('identity', 'find-accounts', {
    request: z.object({ names: z.array(z.string().max(320)).max(200) }),
    reply: z.object({ accounts: z.array(z.object({ name: z.string(), userId: z.uuid() })) }),
  }),
  /** The current groups of one person; empty for an unknown one. */
  readerGroups: defineRpc('identity', 'reader-groups', {
    request: z.object({ userId: z.uuid() }),
    reply: z.object({ groupIds: z.array(z.uuid()) }),
  }),
  /** All memberships in the order of user ids: the initial state for followers of `membershipChanged`. */
  memberships: defineRpc('identity', 'memberships', {
    request: z.object({ after: z.uuid().nullable(), limit: z.int().min(1).max(1000) }),
    reply: z.object({
      users: z.array(z.object({ userId: z.uuid(), groupIds: z.array(z.uuid()), version: z.int() })),
    }),
  }),
};
