import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  identityRoutes,
  publicLinkCookie,
  roleAtLeast,
  type ResolvedSession,
  type RouteDef,
  type ServiceName,
} from '@overtone/contracts';
import type { RequestContext } from '../exchange/exchange.ts';
import { refusals } from '../refusals/refusals.ts';

/** What the slice offers to the steps of a request. */
export type Callers = {
  authenticate: Authenticate;
  inFlight: {
    /** @returns a function to call when the request ends. */
    enter: (request: ProxiedRequest) => () => void;
  };
  /** Signs who is calling, for one service. */
  assertion: (audience: ServiceName, session: ResolvedSession | null) => string;
  /** What a request brought, signed, for the routes where that says who is calling. */
  forwarded: (route: unknown, req: IncomingMessage) => string | undefined;
};

/** The reason to abort: the session has ended, or its state is unknown because identity does not respond. */
export type Doubt = 'ended' | 'unknown';

/** A request of a signed-in user that is being proxied. */
export type ProxiedRequest = {
  session: Pick<ResolvedSession, 'userId' | 'sessionId'>;
  token: string;
  /** When the request came, in epoch milliseconds. */
  receivedAt: number;
  /** Aborts it. */
  end: (why: Doubt) => void;
};

/** The cookies of a session; of a name given twice the first counts. */
export type SessionCookies = { access?: string; refresh?: string; csrf?: string };
/** What a request presents to identify its caller. */
type Credentials = {
  cookies: SessionCookies;
  /** The token of the Authorization header; null when it has none, undefined without the header. */
  bearer: string | null | undefined;
};

export function credentialsOf({ authorization, cookie }: IncomingHttpHeaders): Credentials {
  return { cookies: sessionCookiesOf(cookie), bearer: bearerOf(authorization) };
}

const cookieNames = new Map<string, keyof SessionCookies>([
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
    const key = cookieNames.get(part.slice(0, at).trim());
    if (key && out[key] === undefined) out[key] = part.slice(at + 1).trim();
  }
  return out;
}

const bearerPattern = /^Bearer +(\S+)$/i;

export function bearerOf(header: string | undefined): string | null | undefined {
  return header === undefined ? undefined : (bearerPattern.exec(header)?.[1] ?? null);
}

type Addressed = Pick<RequestContext, 'req' | 'client'>;

/** What a browser reports about the page that sends a request. */
export function originOf(context: Addressed): Pick<Call, 'sameOrigin' | 'fetchSite'> {
  const site = context.req.headers['sec-fetch-site'];
  const found = origins(context);
  // A proxy in front of the edge may have dropped the port; these requests need the session's CSRF token in addition.
  const sameHost = found?.to.port === '' && found.from.hostname === found.to.hostname;
  // A list is the value of no browser: Node joins repeated headers.
  return { sameOrigin: matches(found) || sameHost, fetchSite: Array.isArray(site) ? site.join() : site };
}

/** Whether the request comes from a page of ours. A client that sends no Origin is no browser. */
export function isSameOrigin(context: Addressed): boolean {
  return matches(origins(context));
}

type Origins = { from: URL; to: URL } | null | undefined;

/** The origin of the page, and ours as the client addresses it; undefined: no browser, null: not ours. */
function origins({ req, client }: Addressed): Origins {
  const { origin } = req.headers;
  if (origin === undefined) return undefined;
  const from = URL.parse(origin);
  const to = from && URL.parse(`${from.protocol}//${client.host}`);
  return to && { from, to };
}

function matches(found: Origins): boolean {
  return found === undefined || (found !== null && found.from.host === found.to.host);
}

/** A caller with a session, and the token that it sent. */
export type SignedIn = { token: string; session: ResolvedSession };
type Authenticate = (credentials: Credentials) => Promise<SignedIn | null>;

const maxTokenLength = 4096;

type Deps = { resolve: (token: string) => Promise<ResolvedSession | null> | ResolvedSession };

/** Resolves the session of the caller; null: not signed in. An Authorization header takes precedence over cookies. */
export function createAuthenticate({ resolve }: Deps): Authenticate {
  return async ({ bearer, cookies }) => {
    const token = bearer === undefined ? cookies.access : bearer;
    if (!token || token.length > maxTokenLength) return null;
    const session = await resolve(token);
    return session && { token, session };
  };
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

type Call = {
  method: string;
  def: Pick<RouteDef, 'csrfExempt'>;
  cookies: SessionCookies;
  hasBearer: boolean;
  /** Who the cookies belong to; null when only the refresh cookie is left, whose session identity knows. */
  session: Pick<ResolvedSession, 'csrfToken'> | null;
  header: string | string[] | undefined;
  fetchSite: string | undefined;
  sameOrigin: boolean;
};

const ownSites = new Set([undefined, 'same-origin', 'none']);

/**
 * Another site's form could sign its visitor in to an account of its own, without a cookie or a CSRF token. Clients that
 * are no browsers send neither Origin nor Sec-Fetch-Site.
 * @throws AppError forbidden, code cross_site_request.
 */
export function checkCrossSite(
  def: Pick<RouteDef, 'setsCookies'>,
  { sameOrigin, fetchSite }: Pick<Call, 'sameOrigin' | 'fetchSite'>,
): void {
  if (!def.setsCookies || (sameOrigin && ownSites.has(fetchSite))) return;
  throw refusals.crossSite();
}

/**
 * A change asked for with cookies must repeat the readable cookie in a header: another site can make a browser send
 * cookies, but can neither read them nor set the header. The refresh cookie counts as much as the access cookie, which
 * may have run out.
 * @throws AppError forbidden, code csrf_failed.
 */
export function checkCsrf(call: Call): void {
  if (safeMethods.has(call.method) || call.def.csrfExempt || !usesCookie(call)) return;
  if (call.fetchSite !== 'cross-site' && call.sameOrigin && isBound(call)) return;
  throw refusals.csrf();
}

/** A bearer token needs no CSRF token, because browsers never send one automatically; only a refresh may use a cookie in addition. */
function usesCookie({ def, cookies, hasBearer }: Call): boolean {
  return hasBearer
    ? def === identityRoutes.refresh && cookies.refresh !== undefined
    : cookies.access !== undefined || cookies.refresh !== undefined;
}

/** The header repeats the readable cookie, and that is the one of this very session: a planted cookie is none. */
function isBound({ cookies, session, header, hasBearer }: Call): boolean {
  if (!cookies.csrf || typeof header !== 'string' || !same(cookies.csrf, header)) return false;
  return session === null || hasBearer || (session.csrfToken !== undefined && same(session.csrfToken, header));
}

function same(cookie: string, header: string): boolean {
  const [x, y] = [Buffer.from(cookie), Buffer.from(header)];
  return x.length === y.length && timingSafeEqual(x, y);
}

/** Routes for every signed-in user, whatever the state of the account. */
const always: ReadonlySet<unknown> = new Set<RouteDef>([
  identityRoutes.me,
  identityRoutes.logout,
  identityRoutes.logoutAll,
]);

/**
 * Compares the role and the state of the account with what the route requires.
 * @throws AppError unauthenticated or forbidden, the latter with the code of the account's state.
 */
export function authorise(route: Pick<RouteDef, 'access'>, session: ResolvedSession | null): void {
  if (route.access === 'public') return;
  if (!session) throw refusals.notSignedIn();
  const { refusal } = session;
  const exempt = always.has(route) || (refusal === 'password_change_required' && route === identityRoutes.updateMe);
  if (refusal && !exempt) throw refusals.accountState(refusal);
  if (!roleAtLeast(session.role, route.access)) throw refusals.role(route.access);
}

/** The cookies that identity needs to refresh and to sign out; no other service gets any. */
export function identityCookies({ refresh, csrf }: SessionCookies): string | undefined {
  const parts = [...(refresh ? [`refresh_token=${refresh}`] : []), ...(csrf ? [`csrf_token=${csrf}`] : [])];
  return parts.length > 0 ? parts.join('; ') : undefined;
}

/** The cookies of an opened public link, for the routes that show it. */
export function publicLinkCookies(header: string | undefined): string | undefined {
  const found = (header ?? '').split(';').filter((part) => part.trim().startsWith(`${publicLinkCookie}=`));
  return found.length > 0 ? found.slice(0, maxPublicLinks).join(';').trim() : undefined;
}

const maxPublicLinks = 8;
const signInCookie = /^(__Host-)?oidc_flow_[\w-]{1,32}$/;
const maxSignIns = 16;

/** The cookies that bind a sign-in at an identity provider to this browser; of many only the latest. */
export function signInCookies(header: string | undefined): string | undefined {
  const found = (header ?? '').split(';').filter((part) => signInCookie.test((part.split('=')[0] as string).trim()));
  return found.length > 0 ? found.slice(-maxSignIns).join(';').trim() : undefined;
}
