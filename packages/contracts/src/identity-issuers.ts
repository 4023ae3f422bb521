import { z } from 'zod';
import { routesOf, text } from './http.ts';

const route = routesOf('identity');

const issuer = text(2048);
/** Accounts that a move leaves at the old issuer: their subject is taken at the new one, or the role protects them. */
const leftAccount = z.object({
  uuid: z.uuid(),
  email: z.string(),
  reason: z.enum(['subject_taken', 'super_admin']),
  /** The account that has the subject at the new issuer. */
  taken_by: z.string().nullable(),
});

/** Moves of accounts between the issuers of an identity provider (OIDC) whose address has changed. */
export const issuerRoutes = {
  oidcIssuers: route('GET', '/api/admin/auth-config/oidc/issuers', 'super_admin', {
    summary: 'The issuers that accounts are linked to, with the number of accounts',
    answer: z.object({
      /** The issuer of the settings; empty when none is set. */
      current: z.string(),
      issuers: z.array(
        z.object({ issuer: z.string(), accounts: z.int(), super_admins: z.int(), is_current: z.boolean() }),
      ),
    }),
  }),
  startIssuerTest: route('POST', '/api/admin/auth-config/oidc/issuers/test', 'super_admin', {
    summary: 'Start a test sign-in at the provider of the settings, by a person of the old issuer; it opens no session',
    body: z.object({ from: issuer }),
    answer: z.object({ authorization_url: z.string() }),
    errors: ['sign_in_method_off', 'not_found'],
    setsCookies: true,
  }),
  finishIssuerTest: route('POST', '/api/admin/auth-config/oidc/issuers/test/callback', 'super_admin', {
    summary: 'Complete the test sign-in with the parameters of the provider; returns what a move would do',
    body: z.object({
      code: text(4096).optional(),
      state: text(512).optional(),
      iss: text(2048).optional(),
      error: text(200).optional(),
    }),
    answer: z.object({
      /** Required by the move; valid for ten minutes, for the caller only. */
      proof: z.string(),
      from: z.string(),
      to: z.string(),
      tester: z.object({ uuid: z.uuid(), email: z.string() }),
      /** Accounts that the move would take. */
      accounts: z.int(),
      /** The first hundred of the accounts that stay. */
      left: z.array(leftAccount),
      left_total: z.int(),
    }),
    errors: [
      'sign_in_method_off',
      'issuer_unchanged',
      'issuer_test_failed',
      'issuer_subject_unknown',
      'issuer_subject_taken',
      'issuer_person_differs',
      'issuer_super_admin',
    ],
    setsCookies: true,
  }),
  moveIssuer: route('POST', '/api/admin/auth-config/oidc/issuers/move', 'super_admin', {
    summary: 'Move the accounts of the old issuer to the new one after a test sign-in; their sessions end',
    body: z.object({
      proof: text(16_384),
      /** The new issuer, as typed by the administrator. */
      confirm_issuer: issuer,
      /** The number that was shown; another number is refused. */
      accounts: z.int(),
    }),
    answer: z.object({ accounts: z.int(), sessions_terminated: z.int() }),
    errors: [
      'sign_in_method_off',
      'confirmation_mismatch',
      'issuer_test_expired',
      'issuer_accounts_changed',
      'account_out_of_reach',
      'not_found',
    ],
  }),
};
