import { z } from 'zod';
import { defineEvent, defineRpc, roles, type RouteDef } from './define.ts';
import { message, routesOf, text, time } from './http.ts';

const route = routesOf('identity');

/** Where an account comes from (specification, "What the service does"). */
export const authTypes = ['local', 'ldap', 'oidc', 'pki', 'proxy'] as const;
export const approvalStatuses = ['approved', 'pending', 'rejected'] as const;

export const userObject = z.object({
  uuid: z.uuid(),
  email: z.string(),
  full_name: z.string(),
  role: z.enum(roles),
  auth_type: z.enum(authTypes),
  is_active: z.boolean(),
  approval_status: z.enum(approvalStatuses),
  allow_local_fallback: z.boolean(),
  must_change_password: z.boolean(),
  password_changed_at: time.nullable(),
  account_expires_at: time.nullable(),
  approved_at: time.nullable(),
  /** Login name in the directory. */
  ldap_uid: z.string().nullable(),
  oidc_subject: z.string().nullable(),
  pki_subject_dn: z.string().nullable(),
  last_login_at: time.nullable(),
  created_at: time,
  updated_at: time,
});
export type UserObject = z.infer<typeof userObject>;

export const tokenAnswer = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  refresh_token: z.string(),
  expires_in: z.int(),
});

export const sessionObject = z.object({
  uuid: z.uuid(),
  created_at: time,
  expires_at: time,
  last_used_at: time,
  ip_address: z.string().nullable(),
  user_agent: z.string().nullable(),
  current: z.boolean(),
});

export const identityRoutes = {
  token: route({
    method: 'POST',
    path: '/api/auth/token',
    access: 'public',
    summary: 'Sign in with user name (or e-mail address) and password',
    bodyKind: 'form',
    // Empty ones are refused like wrong ones, by the same code.
    body: z.object({ username: text(320), password: text(1024) }),
    answer: tokenAnswer,
    csrfExempt: true,
  }),
  refresh: route({
    method: 'POST',
    path: '/api/auth/token/refresh',
    access: 'public',
    summary: 'Exchange a refresh token for a new pair; the old one is spent',
    body: z.object({ refresh_token: text(512).optional() }).optional(),
    answer: tokenAnswer,
  }),
  logout: route({
    method: 'POST',
    path: '/api/auth/logout',
    access: 'public',
    summary: 'End this session and clear its cookies',
    body: z.object({ refresh_token: text(512).optional() }).optional(),
    answer: message,
  }),
  logoutAll: route({
    method: 'POST',
    path: '/api/auth/logout/all',
    access: 'user',
    summary: 'End every session of the caller',
    answer: z.object({ message: z.string(), sessions_revoked: z.int() }),
  }),
  sessions: route({
    method: 'GET',
    path: '/api/auth/sessions',
    access: 'user',
    summary: "The caller's sessions",
    answer: z.object({ sessions: z.array(sessionObject), total: z.int() }),
  }),
  endSession: route({
    method: 'DELETE',
    path: '/api/auth/sessions/{uuid}',
    access: 'user',
    summary: "End one of the caller's sessions",
    params: z.object({ uuid: z.uuid() }),
  }),
  methods: route({
    method: 'GET',
    path: '/api/auth/methods',
    access: 'public',
    summary: 'The ways to sign in that are switched on',
    answer: z.object({
      /** In the order local, ldap, oidc, pki, proxy. */
      methods: z.array(z.enum(authTypes)),
      local_enabled: z.boolean(),
      allow_registration: z.boolean(),
      ldap_enabled: z.boolean(),
      oidc_enabled: z.boolean(),
      pki_enabled: z.boolean(),
      proxy_enabled: z.boolean(),
      oidc_display_name: z.string(),
      /** Older name of `oidc_enabled`, kept for one minor release. */
      keycloak_enabled: z.boolean(),
    }),
  }),
  oidcLogin: route({
    method: 'GET',
    path: '/api/auth/oidc/login',
    access: 'public',
    summary: 'Start a sign-in at the identity provider; binds it to this browser by a cookie',
    answer: z.object({ authorization_url: z.string() }),
  }),
  oidcCallback: route({
    method: 'GET',
    path: '/api/auth/oidc/callback',
    access: 'public',
    summary: 'Finish it with what the provider sent to the page /login',
    query: z.object({
      code: text(4096).optional(),
      state: text(512).optional(),
      iss: text(2048).optional(),
      error: text(200).optional(),
      error_description: text(2000).optional(),
      session_state: text(512).optional(),
    }),
    answer: tokenAnswer,
  }),
  pkiAuthenticate: route({
    method: 'POST',
    path: '/api/auth/pki/authenticate',
    access: 'public',
    summary: 'Sign in with the client certificate that a trusted proxy forwards',
    answer: tokenAnswer,
    csrfExempt: true,
  }),
  proxyAuthenticate: route({
    method: 'POST',
    path: '/api/auth/proxy/authenticate',
    access: 'public',
    summary: 'Sign in as whom a trusted proxy names in its header',
    answer: tokenAnswer,
    csrfExempt: true,
  }),
  me: route({
    method: 'GET',
    path: '/api/users/me',
    access: 'user',
    summary: 'The signed-in user',
    answer: userObject,
  }),
  updateMe: route({
    method: 'PUT',
    path: '/api/users/me',
    access: 'user',
    summary: 'Change own name, or own password (with the current one)',
    body: z.object({
      full_name: text(200).min(1).optional(),
      current_password: text(1024).optional(),
      password: text(128).min(1).optional(),
    }),
    answer: userObject,
  }),
};

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
  groupDeleted: defineEvent('evt.identity.group.deleted.v1', z.object({ groupId: z.uuid() })),
  membershipChanged: defineEvent(
    'evt.identity.membership.changed.v1',
    // All groups the user is in now; of two events of one user the one with the higher version is newer.
    z.object({ userId: z.uuid(), groupIds: z.array(z.uuid()), version: z.int() }),
  ),
  settingsChanged: defineEvent(
    'evt.identity.settings.changed.v1',
    z.object({ category: z.string(), keys: z.array(z.string()) }),
  ),
};

/** What the edge knows of a caller after resolving an access token. */
export const resolvedSession = z.object({
  userId: z.uuid(),
  sessionId: z.uuid(),
  role: z.enum(roles),
  /** Lifecycle refusal (403 code) that applies to everything but reading oneself and signing out; null: none. */
  refusal: z
    .enum([
      'account_pending_approval',
      'account_rejected',
      'account_disabled',
      'password_change_required',
      'account_expired',
    ])
    .nullable(),
  /** Epoch milliseconds after which the access token is no longer good. */
  expiresAt: z.int(),
  /** The session's CSRF token, which a change asked for with cookies must bring along. */
  csrfToken: z.string().optional(),
});
export type ResolvedSession = z.infer<typeof resolvedSession>;

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
  /** Who is in which groups, in the order of user ids: what a follower of `membershipChanged` begins with. */
  memberships: defineRpc('identity', 'memberships', {
    request: z.object({ after: z.uuid().nullable(), limit: z.int().min(1).max(1000) }),
    reply: z.object({
      users: z.array(z.object({ userId: z.uuid(), groupIds: z.array(z.uuid()), version: z.int() })),
    }),
  }),
};

/** Settings that the edge enforces. */
const edgeSettings = z.object({
  /** Sign-in attempts per minute and client address; null: not limited. */
  signInPerMinute: z.int().min(1).nullable(),
});
export type EdgeSettings = z.infer<typeof edgeSettings>;

/** Routes between services on their API ports; the edge never lets one of these in from outside. */
export const internalRoutes = {
  /** What the edge asks when it does not know a token: over HTTP, so that it works while the bus is away too. */
  resolveSession: {
    method: 'POST',
    path: '/internal/sessions/resolve',
    service: 'identity',
    access: 'public',
    summary: 'Who an access token belongs to',
    params: z.object({}).loose(),
    query: z.object({}).loose(),
    body: z.object({ accessToken: z.string().max(4096) }),
    bodyKind: 'json',
    answer: z.object({ session: resolvedSession.nullable() }),
    status: 200,
    answerType: 'application/json',
    csrfExempt: true,
  },
  /** Settings that the edge enforces; asked for at its start and whenever they change. */
  edgeSettings: {
    method: 'GET',
    path: '/internal/edge-settings',
    service: 'identity',
    access: 'public',
    summary: 'Sign-in settings that the edge enforces',
    params: z.object({}).loose(),
    query: z.object({}).loose(),
    body: z.undefined(),
    bodyKind: 'json',
    answer: edgeSettings,
    status: 200,
    answerType: 'application/json',
    csrfExempt: true,
  },
} as const satisfies Record<string, RouteDef>;
