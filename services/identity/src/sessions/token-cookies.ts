import type { AnswerOf, identityRoutes } from '@overtone/contracts';
import { invalid, reply, type Reply } from '@overtone/service-kit';

type Origin = { scheme: string; host: string };
/** The tokens of a session. */
export type Issued = {
  accessToken: string;
  accessSeconds: number;
  refreshToken: string;
  refreshSeconds: number;
  csrfToken: string;
};

const loopback = /^(localhost|([a-z0-9-]+\.)+localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Whether this origin's cookies must be `Secure`.
 * @throws AppError invalid, code insecure_origin: over plain HTTP to another machine, where a password could be read.
 */
export function secureCookies(origin: Origin, allowInsecure: boolean): boolean {
  if (origin.scheme === 'https') return true;
  if (loopback.test(origin.host) || allowInsecure) return false;
  throw invalid(
    'insecure_origin',
    'Signing in over plain HTTP is refused because passwords could be read on the way. Open Overtone over HTTPS, or set ALLOW_INSECURE_COOKIES=true if you accept that.',
  );
}

type ReplyOptions = {
  secure: boolean;
  /** Further cookies to set or to clear. */
  cookies?: readonly string[];
};

/** The response of every sign-in: the tokens, also as cookies. */
export function tokenReply(
  issued: Issued,
  { secure, cookies = [] }: ReplyOptions,
): Reply<AnswerOf<typeof identityRoutes.token>> {
  return reply(
    {
      access_token: issued.accessToken,
      token_type: 'bearer',
      refresh_token: issued.refreshToken,
      expires_in: issued.accessSeconds,
    },
    {
      headers: {
        'Set-Cookie': [...sessionCookies(issued, secure), ...cookies],
        'Cache-Control': 'no-store',
      },
    },
  );
}

/** The three cookies of a session; the CSRF cookie lives as long as the refresh cookie. */
export function sessionCookies(issued: Issued, secure: boolean): string[] {
  return [
    cookie('access_token', issued.accessToken, {
      path: '/',
      maxAge: issued.accessSeconds,
      secure,
      httpOnly: true,
      sameSite: 'Lax',
    }),
    cookie('refresh_token', issued.refreshToken, {
      path: '/api/auth',
      maxAge: issued.refreshSeconds,
      secure,
      httpOnly: true,
      sameSite: 'Strict',
    }),
    cookie('csrf_token', issued.csrfToken, {
      path: '/',
      maxAge: issued.refreshSeconds,
      secure,
      httpOnly: false,
      sameSite: 'Strict',
    }),
  ];
}

type CookieOptions = { path: string; maxAge: number; secure: boolean; httpOnly: boolean; sameSite: 'Lax' | 'Strict' };

function cookie(name: string, value: string, { path, maxAge, sameSite, httpOnly, secure }: CookieOptions): string {
  return [
    `${name}=${value}`,
    `Path=${path}`,
    `Max-Age=${maxAge}`,
    `SameSite=${sameSite}`,
    ...(httpOnly ? ['HttpOnly'] : []),
    ...(secure ? ['Secure'] : []),
  ].join('; ');
}

export function clearedCookies(): string[] {
  return [
    'access_token=; Path=/; Max-Age=0; HttpOnly',
    'refresh_token=; Path=/api/auth; Max-Age=0; HttpOnly',
    'csrf_token=; Path=/; Max-Age=0',
  ];
}

/** The value of a cookie in a Cookie header. */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}
