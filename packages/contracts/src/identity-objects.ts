import { z } from 'zod';
import { roles } from './define.ts';
import { time } from './http.ts';

/** Source of an account (specification, "What the service does"). */
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

/** The caller's data after the edge has resolved an access token. */
export const resolvedSession = z.object({
  userId: z.uuid(),
  sessionId: z.uuid(),
  role: z.enum(roles),
  /** 403 code that applies to all routes except reading one's own account and signing out; null: none. */
  refusal: z
    .enum([
      'account_pending_approval',
      'account_rejected',
      'account_disabled',
      'password_change_required',
      'account_expired',
    ])
    .nullable(),
  /** Expiry of the access token in epoch milliseconds. */
  expiresAt: z.int(),
  /** The session's CSRF token, required for changes by callers with cookies. */
  csrfToken: z.string().optional(),
});
export type ResolvedSession = z.infer<typeof resolvedSession>;
