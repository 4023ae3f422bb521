import type { IncomingHttpHeaders } from 'node:http';

/** The cookies of a session; of a name given twice the first counts. */
export type SessionCookies = { access?: string; refresh?: string; csrf?: string };
const signInCookie = /^(__Host-)?oidc_flow_[\w-]{1,32}$/;
const maxSignIns = 16;

const names = new Map<string, keyof SessionCookies>([
  ['access_token', 'access'],
  ['refresh_token', 'refresh'],
  ['csrf_token', 'csrf'],
]);

export function sessionCookiesOf(header: string | undefined): SessionCookies {
  const out: SessionCookies = {};
  if (!header) return out;
  for (const part of header.split(';')) {
    const at = part.indexOf('=');
    if (at < 0) continue;
    const key = names.get(part.slice(0, at).trim());
    if (key && out[key] === undefined) out[key] = part.slice(at + 1).trim();
  }
  return out;
}

/** The cookies that identity needs to refresh and to sign out; no other service gets any. */
export function identityCookies({ refresh, csrf }: SessionCookies): string | undefined {
  const parts = [...(refresh ? [`refresh_token=${refresh}`] : []), ...(csrf ? [`csrf_token=${csrf}`] : [])];
  return parts.length > 0 ? parts.join('; ') : undefined;
}

/** The cookies that bind a sign-in at an identity provider to this browser; of many only the latest. */
export function signInCookies(header: string | undefined): string | undefined {
  const found = (header ?? '').split(';').filter((part) => signInCookie.test((part.split('=')[0] as string).trim()));
  return found.length > 0 ? found.slice(-maxSignIns).join(';').trim() : undefined;
}

/** What a request presents to identify its caller. */
export type Credentials = {
  cookies: SessionCookies;
  /** The token of the Authorization header; null when it has none, undefined without the header. */
  bearer: string | null | undefined;
};

export function credentialsOf({ authorization, cookie }: IncomingHttpHeaders): Credentials {
  return { cookies: sessionCookiesOf(cookie), bearer: bearerOf(authorization) };
}

const bearer = /^Bearer +(\S+)$/i;

export function bearerOf(header: string | undefined): string | null | undefined {
  return header === undefined ? undefined : (bearer.exec(header)?.[1] ?? null);
}
