import { z } from 'zod';
import { line, message, routesOf, text } from './http.ts';
import { authTypes, sessionObject, tokenAnswer, userObject } from './identity-objects.ts';

const route = routesOf('identity');
const signInErrors = [
  'invalid_credentials',
  'account_disabled',
  'directory_check_pending',
  'account_pending_approval',
  'account_rejected',
  'account_expired',
  'too_many_sessions',
] as const;

export const identityRoutes = {
  token: route('POST', '/api/auth/token', 'public', {
    summary: 'Sign in with user name (or e-mail address) and password',
    bodyKind: 'form',
    // Empty values are rejected with the same code as wrong ones.
    body: z.object({ username: text(320), password: text(1024) }),
    answer: tokenAnswer,
    csrfExempt: true,
    errors: [...signInErrors],
    setsCookies: true,
  }),
  refresh: route('POST', '/api/auth/token/refresh', 'public', {
    summary: 'Exchange a refresh token for a new pair; the old one is spent',
    body: z.object({ refresh_token: text(512).optional() }).optional(),
    answer: tokenAnswer,
    errors: ['refresh_refused'],
    setsCookies: true,
  }),
  logout: route('POST', '/api/auth/logout', 'public', {
    summary: 'End this session and clear its cookies',
    body: z.object({ refresh_token: text(512).optional() }).optional(),
    answer: message,
    setsCookies: true,
  }),
  logoutAll: route('POST', '/api/auth/logout/all', 'user', {
    summary: 'End every session of the caller',
    answer: z.object({ message: z.string(), sessions_revoked: z.int() }),
    setsCookies: true,
  }),
  sessions: route('GET', '/api/auth/sessions', 'user', {
    summary: "The caller's sessions",
    answer: z.object({ sessions: z.array(sessionObject), total: z.int() }),
  }),
  endSession: route('DELETE', '/api/auth/sessions/{uuid}', 'user', {
    summary: "End one of the caller's sessions",
    setsCookies: true,
  }),
  methods: route('GET', '/api/auth/methods', 'public', {
    summary: 'The enabled sign-in methods',
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
  oidcLogin: route('GET', '/api/auth/oidc/login', 'public', {
    summary: 'Start a sign-in at the identity provider; binds it to this browser by a cookie',
    answer: z.object({ authorization_url: z.string() }),
    errors: ['sign_in_method_off'],
    setsCookies: true,
  }),
  oidcCallback: route('GET', '/api/auth/oidc/callback', 'public', {
    summary: 'Complete it with the parameters that the provider sent to the page /login',
    query: z.object({
      code: text(4096).optional(),
      state: text(512).optional(),
      iss: text(2048).optional(),
      error: text(200).optional(),
      error_description: text(2000).optional(),
      session_state: text(512).optional(),
    }),
    answer: tokenAnswer,
    errors: ['sign_in_method_off', ...signInErrors],
    setsCookies: true,
  }),
  pkiAuthenticate: route('POST', '/api/auth/pki/authenticate', 'public', {
    summary: 'Sign in with the client certificate that a trusted proxy forwards',
    answer: tokenAnswer,
    csrfExempt: true,
    errors: ['sign_in_method_off', 'invalid_assertion', ...signInErrors],
    setsCookies: true,
  }),
  proxyAuthenticate: route('POST', '/api/auth/proxy/authenticate', 'public', {
    summary: 'Sign in as the user that a trusted proxy names in its header',
    answer: tokenAnswer,
    csrfExempt: true,
    errors: ['sign_in_method_off', 'invalid_assertion', ...signInErrors],
    setsCookies: true,
  }),
  me: route('GET', '/api/users/me', 'user', {
    summary: 'The signed-in user',
    answer: userObject,
    errors: ['not_found'],
  }),
  updateMe: route('PUT', '/api/users/me', 'user', {
    summary: 'Change own name, or own password (with the current one)',
    body: z.object({
      full_name: line(200).min(1).optional(),
      current_password: text(1024).optional(),
      password: text(128).min(1).optional(),
    }),
    answer: userObject,
    errors: ['not_found', 'password_rejected', 'password_not_local'],
  }),
};
