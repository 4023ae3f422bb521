import { createHash, timingSafeEqual } from 'node:crypto';
import type { AuthSettings } from '@overtone/contracts';
import type { Forwarded } from '@overtone/service-kit';
import type { AuditErrorCode } from '../audit/audit.ts';
import { readForwarded, type IdentityHeader } from '../forwarded/forwarded.ts';
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
type PersonResult =
  | { ok: true; assertion: Assertion }
  | { ok: false; errorCode: AuditErrorCode; reason: string; username?: string; header?: string };

/** Names separated by commas; a name that contains a comma is quoted. */
const listed = /(?<=^|,)\s*"([^"]*)"\s*(?=,|$)|([^,]+)/g;

/** The person that a trusted proxy asserts. */
export function personOf(forwarded: Forwarded, settings: ProxySettings): PersonResult {
  const result = readForwarded(forwarded, settings.proxy_trusted_proxies, identityHeadersOf(settings));
  if (!result.ok) return result;
  const get = (name: string): string | undefined => result.values.get(name);
  if (
    settings.proxy_shared_secret !== '' &&
    !isSameSecret(get(settings.proxy_secret_header) ?? '', settings.proxy_shared_secret)
  )
    return { ok: false, errorCode: 'INVALID_PROXY_SECRET', reason: 'shared_secret' };
  const user = get(settings.proxy_user_header);
  if (!user) return { ok: false, errorCode: 'INVALID_HEADER', reason: 'no_user' };
  const claims = claimsOf(
    settings.proxy_groups_header === '' ? undefined : get(settings.proxy_groups_header),
    settings.proxy_no_groups_value,
  );
  return {
    ok: true,
    assertion: {
      source: 'proxy',
      subject: { issuer: null, id: user },
      login: user,
      email: get(settings.proxy_email_header) || (user.includes('@') ? user : null),
      emailVerified: settings.proxy_email_verified,
      name: get(settings.proxy_name_header) || user,
      claims,
      // The proxy has no admin setting: without groups the role is unknown.
      legacyAdmin: claims.known ? 'no' : 'unknown',
    },
  };
}

function identityHeadersOf(settings: ProxySettings): IdentityHeader[] {
  return [
    { name: settings.proxy_user_header, maxBytes: 320 },
    { name: settings.proxy_email_header, maxBytes: 320 },
    { name: settings.proxy_name_header, maxBytes: 800, commas: true },
    { name: settings.proxy_groups_header, maxBytes: 12_288, commas: true },
    { name: settings.proxy_secret_header, maxBytes: 4_096, commas: true },
  ].filter((word) => word.name !== '');
}

/** Compares digests of equal length, so that the duration does not reveal the length of the secret. */
function isSameSecret(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

/** Without the header the groups are unknown; an empty header or the placeholder means that there are none. */
function claimsOf(header: string | undefined, placeholder: string): Claims {
  if (header === undefined) return { known: false, reason: 'no_groups_header' };
  return { known: true, values: header === placeholder ? [] : groupsOf(header) };
}

function groupsOf(header: string): string[] {
  const names = [...header.matchAll(listed)].map(([, quoted, plain]) => (quoted ?? plain ?? '').trim());
  return [...new Set(names)].filter(Boolean);
}
