import { describe, expect, it } from '@jest/globals';
import {
  cookieValue,
  expiryOf,
  hashOf,
  isReplay,
  keptCsrfToken,
  newRefreshToken,
  receivedAtOf,
  refusalOf,
  secureCookies,
  sessionCookies,
} from './sessions.ts';

const at = (s: string) => new Date(`2026-01-01T${s}Z`);
const issued = { accessToken: 'a', accessSeconds: 900, refreshToken: 'r', refreshSeconds: 604_800 };

describe('refresh tokens', () => {
  it('are random and kept only as a hash', () => {
    const [a, b] = [newRefreshToken(), newRefreshToken()];
    expect(a).not.toBe(b);
    expect(Buffer.from(a, 'base64url')).toHaveLength(32);
    expect(hashOf(a)).not.toContain(a);
  });

  it('end after the idle limit, but never after the session itself', () => {
    const lifetimes = { refreshSeconds: 60, absoluteSeconds: 3600 };
    expect(expiryOf(at('10:00:00'), at('11:00:00'), lifetimes)).toEqual(at('10:01:00'));
    expect(expiryOf(at('10:59:30'), at('11:00:00'), lifetimes)).toEqual(at('11:00:00'));
  });

  it('are replayed when they come again after they were spent, not when both requests were under way', () => {
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
  ])('told as %j is %j', (told, at) => {
    expect(receivedAtOf(told, 1_000_000).getTime()).toBe(at);
  });
});

describe('state of an account', () => {
  const fine = { isActive: true, approvalStatus: 'approved', accountExpiresAt: null, mustChangePassword: false };
  const now = at('10:00:00');
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
    expect(refusalOf({ ...fine, ...change }, now)).toBe(code);
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
  ])('are refused over plain HTTP to %s, in words', (host) => {
    expect(() => secureCookies({ scheme: 'http', host }, false)).toThrow(/HTTPS/);
    expect(secureCookies({ scheme: 'http', host }, true)).toBe(false);
  });

  it('hide the tokens from scripts, show the CSRF token, and let it live as long as the refresh token', () => {
    const [access, refresh, csrf] = sessionCookies(issued, 'c', true);
    expect(access).toBe('access_token=a; Path=/; Max-Age=900; SameSite=Lax; HttpOnly; Secure');
    expect(refresh).toBe('refresh_token=r; Path=/api/auth; Max-Age=604800; SameSite=Strict; HttpOnly; Secure');
    expect(csrf).toBe('csrf_token=c; Path=/; Max-Age=604800; SameSite=Strict; Secure');
  });

  it('keep a CSRF token that looks like ours and replace any other', () => {
    const ours = 'ab'.repeat(32);
    expect(keptCsrfToken(`x=1; csrf_token=${ours}`)).toBe(ours);
    expect(keptCsrfToken('csrf_token=evil;')).toMatch(/^[0-9a-f]{64}$/);
    expect(keptCsrfToken(undefined)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('are read by their whole name', () => {
    expect(cookieValue('xrefresh_token=1; refresh_token=a=b', 'refresh_token')).toBe('a=b');
    expect(cookieValue('a; =x', 'refresh_token')).toBeUndefined();
  });
});
