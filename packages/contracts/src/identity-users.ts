import { z } from 'zod';
import { roles } from './define.ts';
import { line, message, pageOf, pageQuery, queryFlag, routesOf, text, time } from './http.ts';
import { approvalStatuses, authTypes, sessionObject, userObject } from './identity-objects.ts';

const route = routesOf('identity');

/** An account as an administrator sees it. */
export const adminUserObject = userObject.extend({
  /** End of the sign-in lock after failures; null: not locked. */
  locked_until: time.nullable(),
  /** Source of the account's disabling; null: not disabled. */
  disabled_by: z.enum(['administrator', 'directory']).nullable(),
  /** Issuer of the linked certificate; null: any configured authority, or no certificate. */
  pki_issuer_dn: z.string().nullable(),
  /** End of the account's unused invitation link; null: it has none. */
  invited_until: time.nullable(),
  groups: z.array(z.object({ uuid: z.uuid(), name: z.string() })),
});

const email = z.email().max(320);
const fullName = line(200).min(1);
const password = text(128).min(1);
/** The token of an invitation link, `<address of this site>/invitation#<token>`: it is shown once. */
const invitation = z.object({ token: z.string(), expires_at: time });
const invitationToken = text(200).min(1);
const userQuery = z.object({
  ...pageQuery,
  /** Part of a name, an e-mail address or a directory login. */
  q: text(200).optional(),
  role: z.enum(roles).optional(),
  auth_type: z.enum(authTypes).optional(),
  is_active: queryFlag.optional(),
  approval_status: z.enum(approvalStatuses).optional(),
  locked: queryFlag.optional(),
  sort_by: z.enum(['full_name', 'email', 'created_at', 'last_login_at']).default('full_name'),
  sort_order: z.enum(['asc', 'desc']).default('asc'),
});

export const userRoutes = {
  users: route('GET', '/api/admin/users', 'admin', {
    summary: 'Accounts, searched and filtered',
    query: userQuery,
    answer: pageOf(adminUserObject),
  }),
  createUser: route('POST', '/api/admin/users', 'admin', {
    summary: 'Create an account; a role above user needs super_admin. Only local accounts have a password here',
    body: z.object({
      email,
      full_name: fullName.optional(),
      password: password.optional(),
      role: z.enum(roles).default('user'),
      auth_type: z.enum(authTypes).default('local'),
      must_change_password: z.boolean().default(true),
      /** Instead of a password: the answer has a link by which the person sets one. */
      invite: z.boolean().default(false),
    }),
    answer: adminUserObject.extend({ invitation: invitation.nullable() }),
    status: 201,
    errors: ['email_taken', 'password_rejected', ['password_not_local', 400]],
  }),
  findUsers: route('GET', '/api/users/search', 'user', {
    summary: 'People to share with: active accounts, never the caller',
    query: z.object({ q: text(100).trim().min(2) }),
    answer: z.array(z.object({ uuid: z.uuid(), full_name: z.string(), email: z.string() })),
  }),
  user: route('GET', '/api/users/{uuid}', 'admin', {
    summary: 'One account',
    answer: adminUserObject,
  }),
  updateUser: route('PUT', '/api/users/{uuid}', 'admin', {
    summary:
      'Change an account. Accounts above the own role are out of reach; allow_local_fallback is refused for directory accounts',
    body: z.strictObject({
      email: email.optional(),
      full_name: fullName.optional(),
      is_active: z.boolean().optional(),
      allow_local_fallback: z.boolean().optional(),
      account_expires_at: time.nullable().optional(),
      must_change_password: z.boolean().optional(),
    }),
    answer: adminUserObject,
    errors: [
      'account_out_of_reach',
      'email_taken',
      'local_fallback_refused',
      'password_not_local',
      'own_account',
      'last_super_admin',
    ],
  }),
  deleteUser: route('DELETE', '/api/users/{uuid}', 'admin', {
    summary: 'Delete an account and everything it owns',
    errors: ['account_out_of_reach', 'own_account', 'last_super_admin'],
  }),
  changeRole: route('PUT', '/api/admin/users/{uuid}/role', 'super_admin', {
    summary: 'Change a role; the last super_admin keeps theirs, and callers cannot change their own',
    query: z.object({ new_role: z.enum(roles) }),
    answer: z.object({ success: z.literal(true), old_role: z.enum(roles), new_role: z.enum(roles) }),
    errors: ['account_out_of_reach', 'own_account', 'last_super_admin'],
  }),
  resetPassword: route('POST', '/api/admin/users/{uuid}/reset-password', 'admin', {
    summary:
      'Set a new password for a local account and end its sessions; refused for accounts of a directory. An admin reaches accounts with the role user, a super_admin all',
    body: z.object({ new_password: password, force_change: z.boolean().default(true) }),
    answer: z.object({ success: z.literal(true), sessions_terminated: z.int() }),
    errors: ['account_out_of_reach', 'own_account', 'password_not_local', 'password_rejected'],
  }),
  invite: route('POST', '/api/admin/users/{uuid}/invitation', 'admin', {
    summary:
      'Create a link by which the owner of a local account sets a password, once; an earlier link ends. An admin reaches accounts with the role user, a super_admin all',
    answer: invitation,
    status: 201,
    errors: ['account_out_of_reach', 'own_account', 'password_not_local', 'invitation_impossible'],
  }),
  withdrawInvitation: route('DELETE', '/api/admin/users/{uuid}/invitation', 'admin', {
    summary: 'End the invitation link of an account',
    errors: ['account_out_of_reach'],
  }),
  unlockUser: route('POST', '/api/admin/users/{uuid}/unlock', 'admin', {
    summary: 'Lift the lock after failed sign-ins',
    answer: z.object({ success: z.literal(true), was_locked: z.boolean() }),
    errors: ['account_out_of_reach'],
  }),
  linkCertificate: route('PUT', '/api/admin/users/{uuid}/certificate', 'admin', {
    summary:
      'Link an account to the certificate of its owner; without an issuer the first certificate of the subject decides. An account above the role user needs super_admin',
    body: z.strictObject({ subject: text(1200).trim().min(1), issuer: text(1200).trim().min(1).nullable() }),
    answer: adminUserObject,
    errors: ['account_out_of_reach', 'certificate_linked', 'certificate_name_invalid'],
  }),
  unlinkCertificate: route('DELETE', '/api/admin/users/{uuid}/certificate', 'admin', {
    summary: 'Remove the link between an account and a certificate, and end its sessions',
    errors: ['account_out_of_reach'],
  }),
  userSessions: route('GET', '/api/admin/users/{uuid}/sessions', 'admin', {
    summary: "An account's sessions",
    answer: z.object({ sessions: z.array(sessionObject), total: z.int() }),
    errors: ['account_out_of_reach'],
  }),
  endUserSessions: route('DELETE', '/api/admin/users/{uuid}/sessions', 'admin', {
    summary: 'End all sessions of an account',
    answer: z.object({ success: z.literal(true), sessions_terminated: z.int() }),
    status: 200,
    errors: ['account_out_of_reach'],
  }),
  endUserSession: route('DELETE', '/api/admin/users/{uuid}/sessions/{session_uuid}', 'admin', {
    summary: 'End one session of an account',
    errors: ['account_out_of_reach'],
  }),
  register: route('POST', '/api/auth/register', 'public', {
    summary: 'Register an account, where allow_registration is on',
    body: z.object({ email, password, full_name: fullName.optional() }),
    answer: message,
    status: 202,
    csrfExempt: true,
    errors: ['registration_closed', 'password_rejected'],
  }),
  openInvitation: route('POST', '/api/auth/invitation', 'public', {
    summary: 'Whom an invitation link is for. Unknown, used, ended and withdrawn links get the same answer',
    body: z.object({ token: invitationToken }),
    answer: z.object({ email: z.string(), full_name: z.string(), expires_at: time }),
    csrfExempt: true,
    errors: ['invitation_invalid'],
  }),
  acceptInvitation: route('POST', '/api/auth/invitation/accept', 'public', {
    summary: 'Set the password of the account that an invitation link is for. The link works once; all sessions end',
    body: z.object({ token: invitationToken, password }),
    answer: z.object({ email: z.string() }),
    csrfExempt: true,
    errors: ['invitation_invalid', 'password_rejected'],
  }),
  passwordPolicy: route('GET', '/api/auth/password-policy', 'public', {
    summary: 'Rules for a new password',
    answer: z.object({
      enabled: z.boolean(),
      min_length: z.int(),
      require_uppercase: z.boolean(),
      require_lowercase: z.boolean(),
      require_digit: z.boolean(),
      require_special: z.boolean(),
      history_count: z.int(),
      max_age_days: z.int(),
    }),
  }),
};
