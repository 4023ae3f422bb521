import { timingSafeEqual } from 'node:crypto';
import { identityRoutes, type ResolvedSession, type RouteDef } from '@overtone/contracts';
import { forbidden } from '@overtone/service-kit';
import type { SessionCookies } from './cookies.ts';

const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

type Call = {
  method: string;
  def: Pick<RouteDef, 'csrfExempt'>;
  cookies: SessionCookies;
  hasBearer: boolean;
  /** Who the cookies belong to; null when only the refresh cookie is left, whose session identity knows. */
  session: Pick<ResolvedSession, 'csrfToken'> | null;
  header: string | undefined;
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
  throw forbidden('csrf_failed', 'CSRF token missing or invalid');
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
  throw forbidden('cross_site_request', 'Requests from other sites are refused here');
}

/** A bearer token needs no CSRF token, because browsers never send one automatically; only a refresh may use a cookie in addition. */
function usesCookie({ def, cookies, hasBearer }: Call): boolean {
  return hasBearer
    ? def === identityRoutes.refresh && cookies.refresh !== undefined
    : cookies.access !== undefined || cookies.refresh !== undefined;
}

/** The header repeats the readable cookie, and that is the one of this very session: a planted cookie is none. */
function isBound({ cookies, session, header, hasBearer }: Call): boolean {
  if (!cookies.csrf || !header || !same(cookies.csrf, header)) return false;
  return session === null || hasBearer || (session.csrfToken !== undefined && same(session.csrfToken, header));
}

function same(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}
