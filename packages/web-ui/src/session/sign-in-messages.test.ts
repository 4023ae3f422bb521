import { expect, it } from '@jest/globals';
import { ApiError } from '@overtone/client';
import { signInMessage } from './sign-in-messages.ts';

it('does not reveal whether the name or the password is wrong', () =>
  expect(signInMessage(new ApiError(401, { code: 'x' })).title).toBe('Incorrect user name or password'));
it('distinguishes plain HTTP from a wrong password', () =>
  expect(signInMessage(new ApiError(400, { code: 'insecure_origin', detail: 'Use HTTPS.' }))).toEqual({
    title: 'This address isn’t secure',
    text: 'Use HTTPS.',
  }));
it('shows the time to wait', () =>
  expect(signInMessage(new ApiError(429, {}, 30)).text).toBe('Wait 30 seconds, then try again.'));
it('distinguishes an outage from a refusal', () =>
  expect(signInMessage(new ApiError(503, {})).title).toBe('Sign-in is temporarily unavailable'));
it.each([
  ['account_disabled', 'Your account is disabled', 'switched off'],
  ['account_pending_approval', 'Your account is awaiting approval', 'has approved'],
  ['account_rejected', 'Your account wasn’t approved', 'did not approve'],
])('names the account state %s and what to do', (code, title, text) => {
  const shown = signInMessage(new ApiError(403, { code, detail: 'd' }));
  expect(shown).toEqual({ title, text: expect.stringContaining(text) });
});
it('does not mention approval for a wrong password', () =>
  expect(signInMessage(new ApiError(401, { code: 'invalid_credentials' })).text).not.toContain('approv'));
it('does not mention a password for other sign-in methods', () =>
  expect(
    (['oidc', 'pki', 'proxy'] as const).map((method) => signInMessage(new ApiError(401, {}), method).title),
  ).toEqual(['Sign-in refused', 'Certificate not accepted', 'You aren’t signed in at the proxy']));
