import { describe, expect, it } from '@jest/globals';
import { expiryOf, isReplay, newRefreshToken, receivedAtOf, refusalOf, surplus } from './sessions.ts';
import { createSessionKeys } from './tokens.ts';
import { cookieValue, secureCookies, sessionCookies } from './token-cookies.ts';

function at(text: string) {
  return new Date(`2026-01-01T${text}Z`);
}

const issued = { accessToken: 'a', accessSeconds: 900, refreshToken: 'r', refreshSeconds: 604_800, csrfToken: 'c' };
const keys = createSessionKeys('a secret');

describe('refresh tokens', () => {
  it('are random and stored as a hash only', () => {
    const [first, second] = [newRefreshToken(), newRefreshToken()];
    expect(first).not.toBe(second);
    expect(Buffer.from(first, 'base64url')).toHaveLength(32);
    expect(keys.hashOf(first)).not.toContain(first);
    expect(keys.hashOf(first)).toBe(keys.hashOf(first));
  });

  it('are invalid with another signing secret', () => {
    const token = newRefreshToken();
    const others = createSessionKeys('another secret');
    expect(others.hashOf(token)).not.toBe(keys.hashOf(token));
    expect(others.secretId).not.toBe(keys.secretId);
    expect(keys.secretId).toMatch(/^[0-9a-f]{16}$/);
  });

  it('end after the idle limit, but never after the session itself', () => {
    const lifetimes = { refreshSeconds: 60, absoluteSeconds: 3600 };
    expect(expiryOf(at('10:00:00'), at('11:00:00'), lifetimes)).toEqual(at('10:01:00'));
    expect(expiryOf(at('10:59:30'), at('11:00:00'), lifetimes)).toEqual(at('11:00:00'));
  });

  it('are replayed when they are used again after rotation, not when both requests were concurrent', () => {
    expect(isReplay(at('10:00:00'), at('10:00:01'))).toBe(true);
    expect(isReplay(at('10:00:01'), at('10:00:00'))).toBe(false);
  });
});

describe('the time at which a request reached the edge', () => {
  it.each([
    ['999000', 999_000],
    ['1000001', 1_000_000],
    ['900000', 1_000_000],
    ['', 1_000_000],
    ['soon', 1_000_000],
    [undefined, 1_000_000],
  ])('given as %j is %j', (header, at) => {
    expect(receivedAtOf(header, 1_000_000).getTime()).toBe(at);
  });
});

describe('state of an account', () => {
  const fine = {
    isActive: true,
    approvalStatus: 'approved',
    accountExpiresAt: null,
    mustChangePassword: false,
    authType: 'local',
    hasPassword: true,
    passwordChangedAt: at('09:00:00'),
    createdAt: at('08:00:00'),
  };
  const now = at('10:00:00');
  const ages = { password_policy_enabled: true, password_max_age_days: 0 };
  it.each([
    [{}, null],
    [{ isActive: false }, 'account_disabled'],
    [{ approvalStatus: 'pending' }, 'account_pending_approval'],
    [{ approvalStatus: 'rejected' }, 'account_rejected'],
    [{ accountExpiresAt: at('09:59:59') }, 'account_expired'],
    [{ accountExpiresAt: at('10:00:01') }, null],
    [{ mustChangePassword: true }, 'password_change_required'],
    [{ mustChangePassword: true, isActive: false }, 'account_disabled'],
  ])('%j is refused with %s', (change, code) => {
    expect(refusalOf({ ...fine, ...change }, now, ages)).toBe(code);
  });

  it.each([
    ['a password older than the settings allow', {}, 60, 'password_change_required'],
    [
      'one that has never been changed, from the day the account was made',
      { passwordChangedAt: null },
      60,
      'password_change_required',
    ],
    ['a younger one', { passwordChangedAt: new Date('2025-12-01') }, 60, null],
    ['any age when no limit is set', {}, 0, null],
    ['an account whose password is kept elsewhere', { authType: 'ldap', hasPassword: false }, 60, null],
    ['an account of a provider that has a password here, too', { authType: 'oidc' }, 60, null],
  ])('with %s depends on its age', (_what, change, password_max_age_days, code) => {
    const old = { ...fine, passwordChangedAt: new Date('2025-10-01'), createdAt: new Date('2025-09-01'), ...change };
    expect(refusalOf(old, now, { ...ages, password_max_age_days })).toBe(code);
    expect(refusalOf(old, now, { password_policy_enabled: false, password_max_age_days })).toBeNull();
  });
});

describe('cookies', () => {
  it.each([
    ['https', 'overtone.example.org', true],
    ['https', 'localhost', true],
    ['http', 'localhost:8080', false],
    ['http', '127.0.0.1', false],
    ['http', '127.8.9.10:80', false],
    ['http', '[::1]:8080', false],
    ['http', 'app.localhost:8080', false],
  ])('of %s://%s are Secure: %s', (scheme, host, secure) => {
    expect(secureCookies({ scheme, host }, false)).toBe(secure);
  });

  it.each([
    'overtone.example.org',
    '10.0.0.5:8080',
    'localhost.example.org',
    '127.0.0.1.example.org',
    '',
    'notlocalhost',
  ])('are refused over plain HTTP to %s, with a reason', (host) => {
    expect(() => secureCookies({ scheme: 'http', host }, false)).toThrow(/HTTPS/);
    expect(secureCookies({ scheme: 'http', host }, true)).toBe(false);
  });

  it('are HttpOnly for tokens, readable for the CSRF token, and expire with the refresh token', () => {
    const [access, refresh, csrf] = sessionCookies(issued, true);
    expect(access).toBe('access_token=a; Path=/; Max-Age=900; SameSite=Lax; HttpOnly; Secure');
    expect(refresh).toBe('refresh_token=r; Path=/api/auth; Max-Age=604800; SameSite=Strict; HttpOnly; Secure');
    expect(csrf).toBe('csrf_token=c; Path=/; Max-Age=604800; SameSite=Strict; Secure');
  });

  it('contain a CSRF token of one session and one signing secret', () => {
    const mine = keys.csrfOf('my session');
    expect(mine).toMatch(/^[0-9a-f]{64}$/);
    expect(keys.isCsrfOf('my session', mine)).toBe(true);
    for (const given of [
      keys.csrfOf('another'),
      createSessionKeys('b').csrfOf('my session'),
      '',
      undefined,
      `${mine}0`,
    ])
      expect(keys.isCsrfOf('my session', given)).toBe(false);
  });

  it('are read by their complete name', () => {
    expect(cookieValue('xrefresh_token=1; refresh_token=a=b', 'refresh_token')).toBe('a=b');
    expect(cookieValue('a; =x', 'refresh_token')).toBeUndefined();
  });
});

describe('the number of sessions', () => {
  it.each([
    [5, 0, 0],
    [0, 1, 0],
    [1, 1, 1],
    [2, 3, 0],
    [3, 3, 1],
    [7, 3, 5],
  ])('%i alive with a limit of %i: %i have to end before another begins', (alive, max, over) => {
    expect(surplus(alive, max)).toBe(over);
  });
});
