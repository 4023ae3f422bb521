import { randomUUID } from 'node:crypto';
import type { AnswerOf, identityRoutes } from '@overtone/contracts';
import { json, Refusal, type MockRoute } from './mock-kit.ts';

export const me: AnswerOf<typeof identityRoutes.me> = {
  uuid: randomUUID(),
  email: 'admin@example.org',
  full_name: 'Ada Admin',
  role: 'super_admin',
  auth_type: 'local',
  is_active: true,
  approval_status: 'approved',
  allow_local_fallback: true,
  must_change_password: false,
  password_changed_at: null,
  account_expires_at: null,
  approved_at: null,
  ldap_uid: null,
  oidc_subject: null,
  pki_subject_dn: null,
  last_login_at: new Date().toISOString(),
  created_at: new Date().toISOString(),
  updated_at: new Date().toISOString(),
};

/** Sign-in, sign-out and the user's own account. */
export const sessionMock: readonly MockRoute[] = [
  [
    'POST',
    /^\/api\/auth\/token$/,
    (context) => {
      if (!context.body.toString().includes('password=overtone'))
        throw new Refusal(401, 'invalid_credentials', 'Could not validate credentials');
      context.response.setHeader('set-cookie', ['csrf_token=abc; Path=/', 'access_token=dev; Path=/; HttpOnly']);
      return { access_token: 'a', token_type: 'bearer', refresh_token: 'r', expires_in: 900 };
    },
  ],
  [
    'POST',
    /^\/api\/auth\/token\/refresh$/,
    () => ({ access_token: 'a', token_type: 'bearer', refresh_token: 'r', expires_in: 900 }),
  ],
  [
    'POST',
    /^\/api\/auth\/logout/,
    (context) => {
      context.response.setHeader('set-cookie', ['csrf_token=; Path=/; Max-Age=0', 'access_token=; Path=/; Max-Age=0']);
      return { message: 'Signed out', sessions_revoked: 1 };
    },
  ],
  ['GET', /^\/api\/users\/me$/, () => me],
  ['PUT', /^\/api\/users\/me$/, (context) => Object.assign(me, json(context))],
  [
    'GET',
    /^\/api\/auth\/sessions$/,
    () => ({
      total: 2,
      sessions: [true, false].map((current) => ({
        uuid: randomUUID(),
        created_at: me.created_at,
        expires_at: me.created_at,
        last_used_at: me.created_at,
        ip_address: '127.0.0.1',
        user_agent: current ? 'Mozilla/5.0 (X11; Linux x86_64) Chrome/150 Safari/537' : 'curl/8',
        current,
      })),
    }),
  ],
];
