import { timingSafeEqual } from 'node:crypto';
import { identityRoutes, type ResolvedSession, type RouteDef } from '@overtone/contracts';
import type { RequestContext } from '../exchange/exchange.ts';
import { refusals } from '../refusals/refusals.ts';
import type { SessionCookies } from './credentials.ts';

const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

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

/**
 * A change asked for with cookies must repeat the readable cookie in a header: another site can make a browser send
 * cookies, but can neither read them nor set the header. The refresh cookie counts as much as the access cookie, which
 * may have run out.
 * @throws AppError forbidden, code csrf_failed.
 */
export function checkCsrf(call: Call): void {
  if (safe.has(call.method) || call.def.csrfExempt || !usesCookie(call)) return;
  if (call.fetchSite !== 'cross-site' && call.sameOrigin && isBound(call)) return;
  throw refusals.csrf();
}

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
