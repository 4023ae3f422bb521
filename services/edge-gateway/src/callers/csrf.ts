import { timingSafeEqual } from 'node:crypto';
import type { RouteDef } from '@overtone/contracts';
import { forbidden } from '@overtone/service-kit';
import type { SessionCookies } from './cookies.ts';

const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

type Call = {
  method: string;
  def: Pick<RouteDef, 'csrfExempt'>;
  cookies: SessionCookies;
  hasBearer: boolean;
  header: string | undefined;
  fetchSite: string | undefined;
};

const same = (a: string, b: string): boolean => {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
};

/**
 * A change asked for with cookies must repeat the readable cookie in a header: another site can make a browser send
 * cookies, but can neither read them nor set the header. The refresh cookie counts as much as the access cookie, which
 * may have run out.
 * @throws AppError forbidden, code csrf_failed.
 */
export const checkCsrf = ({ method, def, cookies, hasBearer, header, fetchSite }: Call): void => {
  if (safe.has(method) || def.csrfExempt || hasBearer) return;
  if (cookies.access === undefined && cookies.refresh === undefined) return;
  if (fetchSite !== 'cross-site' && cookies.csrf && header && same(cookies.csrf, header)) return;
  throw forbidden('csrf_failed', 'CSRF token missing or invalid');
};
