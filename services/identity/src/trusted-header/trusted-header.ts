import { createHash, timingSafeEqual } from 'node:crypto';
import type { AuthSettings } from '@overtone/contracts';
import type { Forwarded } from '@overtone/service-kit';
import type { AuditErrorCode } from '../audit/audit.ts';
import { judge, type Wanted } from '../forwarded/forwarded.ts';
import type { Claims } from '../mappings/mappings.ts';
import type { Assertion } from '../provisioning/provisioning.ts';

type ProxySettings = Pick<
  AuthSettings,
  | 'proxy_trusted_proxies'
  | 'proxy_user_header'
  | 'proxy_email_header'
  | 'proxy_name_header'
  | 'proxy_groups_header'
  | 'proxy_no_groups_value'
  | 'proxy_email_verified'
  | 'proxy_shared_secret'
  | 'proxy_secret_header'
>;
type Named =
  | { ok: true; assertion: Assertion }
  | { ok: false; errorCode: AuditErrorCode; reason: string; username?: string; header?: string };

const wantedOf = (s: ProxySettings): Wanted[] =>
  [
    { name: s.proxy_user_header, maxBytes: 320 },
    { name: s.proxy_email_header, maxBytes: 320 },
    { name: s.proxy_name_header, maxBytes: 800, commas: true },
    { name: s.proxy_groups_header, maxBytes: 12_288, commas: true },
    { name: s.proxy_secret_header, maxBytes: 4_096, commas: true },
  ].filter((w) => w.name !== '');

/** Equal length for the comparison, so that not even the secret's own length shows in the time it takes. */
const same = (a: string, b: string): boolean => {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
};

/** Names separated by commas; a name with a comma stands in quotes. */
const listed = /\s*(?:"([^"]*)"\s*(?=,|$)|([^,]*))(?:,|$)/g;
const groupsOf = (header: string): string[] => {
  const names = [...header.matchAll(listed)].map(([, quoted, plain]) => (quoted ?? plain ?? '').trim());
  return [...new Set(names)].filter(Boolean);
};

/** A header that is absent asserts nothing of the groups; an empty one, or the placeholder for one, asserts that there are none. */
const claimsOf = (header: string | undefined, placeholder: string): Claims => {
  if (header === undefined) return { known: false, reason: 'no_groups_header' };
  return { known: true, values: header === placeholder ? [] : groupsOf(header) };
};

/** Who a trusted proxy says is calling. */
export const personOf = (f: Forwarded, s: ProxySettings): Named => {
  const judged = judge(f, s.proxy_trusted_proxies, wantedOf(s));
  if (!judged.trusted) {
    const { fault: reason, header } = judged;
    const errorCode = reason.endsWith('_proxies') || reason.endsWith('_peer') ? 'UNTRUSTED_PROXY' : 'INVALID_HEADER';
    return { ok: false, errorCode, reason, ...(header ? { header } : {}) };
  }
  const get = (name: string): string | undefined => judged.values.get(name);
  if (s.proxy_shared_secret !== '' && !same(get(s.proxy_secret_header) ?? '', s.proxy_shared_secret))
    return { ok: false, errorCode: 'INVALID_PROXY_SECRET', reason: 'shared_secret' };
  const user = get(s.proxy_user_header);
  if (!user) return { ok: false, errorCode: 'INVALID_HEADER', reason: 'no_user' };
  const claims = claimsOf(
    s.proxy_groups_header === '' ? undefined : get(s.proxy_groups_header),
    s.proxy_no_groups_value,
  );
  return {
    ok: true,
    assertion: {
      source: 'proxy',
      subject: { issuer: null, id: user },
      login: user,
      email: get(s.proxy_email_header) || (user.includes('@') ? user : null),
      emailVerified: s.proxy_email_verified,
      name: get(s.proxy_name_header) || user,
      claims,
      // There is no setting that names administrators here: without groups nothing is said of the role at all.
      legacyAdmin: claims.known ? 'no' : 'unknown',
    },
  };
};
