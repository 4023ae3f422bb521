import type {
  AnswerOf,
  approvalRoutes,
  auditRoutes,
  authConfigRoutes,
  BodyOf,
  groupRoutes,
  identityRoutes,
  mappingRoutes,
  userRoutes,
} from '@overtone/contracts';
import { callRoute, type Input } from './client.ts';
import type { RouteLine } from './routes.ts';

type Routes = typeof identityRoutes &
  typeof userRoutes &
  typeof approvalRoutes &
  typeof auditRoutes &
  typeof groupRoutes &
  typeof mappingRoutes &
  typeof authConfigRoutes;

/** Routes of accounts, groups and sign-in settings, in a file of their own: the first page load does not include them. */
export const identityLines = {
  methods: ['GET', '/api/auth/methods'],
  oidcLogin: ['GET', '/api/auth/oidc/login'],
  oidcCallback: ['GET', '/api/auth/oidc/callback'],
  pkiAuthenticate: ['POST', '/api/auth/pki/authenticate'],
  proxyAuthenticate: ['POST', '/api/auth/proxy/authenticate'],
  register: ['POST', '/api/auth/register'],
  passwordPolicy: ['GET', '/api/auth/password-policy'],
  users: ['GET', '/api/admin/users'],
  createUser: ['POST', '/api/admin/users'],
  findUsers: ['GET', '/api/users/search'],
  user: ['GET', '/api/users/{uuid}'],
  updateUser: ['PUT', '/api/users/{uuid}'],
  deleteUser: ['DELETE', '/api/users/{uuid}'],
  changeRole: ['PUT', '/api/admin/users/{uuid}/role'],
  resetPassword: ['POST', '/api/admin/users/{uuid}/reset-password'],
  unlockUser: ['POST', '/api/admin/users/{uuid}/unlock'],
  linkCertificate: ['PUT', '/api/admin/users/{uuid}/certificate'],
  unlinkCertificate: ['DELETE', '/api/admin/users/{uuid}/certificate'],
  userSessions: ['GET', '/api/admin/users/{uuid}/sessions'],
  endUserSessions: ['DELETE', '/api/admin/users/{uuid}/sessions'],
  endUserSession: ['DELETE', '/api/admin/users/{uuid}/sessions/{session_uuid}'],
  approvals: ['GET', '/api/admin/user-approvals'],
  approveUser: ['POST', '/api/admin/user-approvals/{uuid}/approve'],
  rejectUser: ['POST', '/api/admin/user-approvals/{uuid}/reject'],
  auditLogs: ['GET', '/api/admin/audit-logs'],
  exportAuditLogs: ['GET', '/api/admin/audit-logs/export'],
  groups: ['GET', '/api/groups'],
  createGroup: ['POST', '/api/groups'],
  group: ['GET', '/api/groups/{uuid}'],
  updateGroup: ['PUT', '/api/groups/{uuid}'],
  deleteGroup: ['DELETE', '/api/groups/{uuid}'],
  addMember: ['POST', '/api/groups/{uuid}/members'],
  changeMember: ['PUT', '/api/groups/{uuid}/members/{user_uuid}'],
  removeMember: ['DELETE', '/api/groups/{uuid}/members/{user_uuid}'],
  mappings: ['GET', '/api/admin/group-mappings'],
  createMapping: ['POST', '/api/admin/group-mappings'],
  updateMapping: ['PUT', '/api/admin/group-mappings/{uuid}'],
  deleteMapping: ['DELETE', '/api/admin/group-mappings/{uuid}'],
  testMappings: ['POST', '/api/admin/group-mappings/test'],
  authConfig: ['GET', '/api/admin/auth-config'],
  authConfigAudit: ['GET', '/api/admin/auth-config/audit/{category}'],
  updateAuthConfig: ['PUT', '/api/admin/auth-config/{category}'],
  sourceSessions: ['GET', '/api/admin/auth-config/{category}/sessions'],
  endSourceSessions: ['DELETE', '/api/admin/auth-config/{category}/sessions'],
  testAuthConfig: ['POST', '/api/admin/auth-config/{category}/test'],
} as const satisfies Partial<Record<keyof Routes, RouteLine>>;

type IdentityRoute = keyof typeof identityLines;
export type IdentityResponse<N extends IdentityRoute> = AnswerOf<Routes[N]>;
export type IdentityRequest<N extends IdentityRoute> = BodyOf<Routes[N]>;

/** Calls one route of the list above. */
export function callIdentity<N extends IdentityRoute>(
  name: N,
  input: Input<IdentityRequest<N>> = {},
): Promise<IdentityResponse<N>> {
  return callRoute<IdentityResponse<N>>(identityLines[name], input);
}
