import { expect, it } from '@jest/globals';
import { ApiError } from '../api/problem.ts';
import { signInWords } from './sign-in-words.ts';

it('does not say which of name and password is wrong', () =>
  expect(signInWords(new ApiError(401, { code: 'x' })).title).toBe('User name or password is wrong'));
it('tells plain HTTP apart from a wrong password', () =>
  expect(signInWords(new ApiError(400, { code: 'insecure_origin', detail: 'Use HTTPS.' }))).toEqual({
    title: 'This address is not safe to sign in at',
    words: 'Use HTTPS.',
  }));
it('says how long to wait', () =>
  expect(signInWords(new ApiError(429, {}, 30)).words).toBe('Wait 30 seconds, then try again.'));
it('tells an outage apart from a refusal', () =>
  expect(signInWords(new ApiError(503, {})).title).toBe('Sign-in is not possible just now'));
it.each([
  ['account_disabled', 'Your account is disabled', 'switched off'],
  ['account_pending_approval', 'Your account waits for approval', 'has to approve'],
  ['account_rejected', 'Your account was not approved', 'did not approve'],
])('names the state %s and what to do', (code, title, words) => {
  const shown = signInWords(new ApiError(403, { code, detail: 'd' }));
  expect(shown).toEqual({ title, words: expect.stringContaining(words) });
});
it('does not mention the approval where the password is wrong', () =>
  expect(signInWords(new ApiError(401, { code: 'invalid_credentials' })).words).not.toContain('approv'));
it('says of another way in what can be done about it, never that a password is wrong', () =>
  expect((['oidc', 'pki', 'proxy'] as const).map((way) => signInWords(new ApiError(401, {}), way).title)).toEqual([
    'The sign-in was not accepted',
    'The certificate was not accepted',
    'Nobody is signed in at the proxy',
  ]));
