import { z } from 'zod';
import { message, routesOf, text } from './http.ts';
import { authTypes, sessionObject, tokenAnswer, userObject } from './identity-objects.ts';

const route = routesOf('identity');

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
