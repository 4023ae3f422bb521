import type { AuthSettings } from '@overtone/contracts';
import type { Claims } from '../mappings/mappings.ts';
import type { Assertion } from '../provisioning/provisioning.ts';
import { adminByRole, listAt, mappedClaims, names, textAt, type TokenClaims } from './claims.ts';

export { safeAddress } from './bounded-fetch.ts';

export type OidcSettings = Pick<AuthSettings, Extract<keyof AuthSettings, `oidc_${string}`>>;

/** Facts about the administrator roles that the provider does not announce. */
export type AdminRoleFacts = {
  /** False while `oidc_admin_role` is only the default. */
  configured: boolean;
  /** The last sign-in since the setting was changed, and why its roles claim was unusable; null: it was usable. */
  lastSignIn: { at: Date; unusable: string | null } | undefined;
};

const wellKnown = /\/\.well-known\/openid-configuration\/?$/;

/** The issuer from the discovery address or from server and realm; empty: none is set. */
export function issuerOf(settings: OidcSettings): string {
  if (settings.oidc_discovery_url !== '') return settings.oidc_discovery_url.trim().replace(wellKnown, '');
  if (settings.oidc_server_url === '' || settings.oidc_realm === '') return slashless(settings.oidc_server_url);
  return `${slashless(settings.oidc_server_url)}/realms/${encodeURIComponent(settings.oidc_realm.trim())}`;
}

/** Settings that a redirect to the provider needs. */
export function missingSetting(settings: OidcSettings): string | undefined {
  if (issuerOf(settings) === '') return 'oidc_discovery_url';
  if (settings.oidc_client_id === '') return 'oidc_client_id';
  return settings.oidc_callback_url === '' ? 'oidc_callback_url' : undefined;
}

const address = /^[^\s@]+@[^\s@]+$/;

/** Recorded with a sign-in whose roles claim is unusable although admin roles are configured. */
function rolesWarning(roles: Claims, settings: OidcSettings): Record<string, string> {
  return {
    warning: 'admin_roles_unknown',
    roles_claim: settings.oidc_roles_claim,
    roles_state: roles.known ? 'known' : roles.reason,
  };
}

/**
 * The person of a verified ID token.
 * @param adminRolesConfigured false while `oidc_admin_role` is only the default.
 */
export function personOf(
  claims: TokenClaims & { sub: string; iss: string },
  settings: OidcSettings,
  adminRolesConfigured: boolean,
): Assertion {
  const groups = listAt(claims, settings.oidc_groups_claim);
  const roles = listAt(claims, settings.oidc_roles_claim);
  const given = textAt(claims, settings.oidc_email_claim, 320);
  const email = given !== undefined && address.test(given) ? given : null;
  const login = textAt(claims, settings.oidc_username_claim, 320) ?? email ?? claims.sub;
  const legacyAdmin = adminByRole(roles, { roles: names(settings.oidc_admin_role), configured: adminRolesConfigured });
  return {
    source: 'oidc',
    // The issuer of the token: the setting may be spelled differently later.
    subject: { issuer: claims.iss, id: claims.sub },
    login,
    email,
    // Only the boolean true, and only for this address.
    emailVerified: email !== null && claims['email_verified'] === true && claims['email'] === email,
    name: textAt(claims, settings.oidc_name_claim, 200) ?? login,
    claims: mappedClaims(groups, roles, settings.oidc_groups_claim),
    legacyAdmin,
    ...(legacyAdmin === 'unknown' ? { warning: rolesWarning(roles, settings) } : {}),
  };
}

/** The reason to refuse a user of the provider; undefined: admitted. Unknown groups are a reason to refuse. */
export function admissionFaultOf({ claims }: Assertion, settings: OidcSettings): string | undefined {
  const [allowed, blocked] = [names(settings.oidc_allowed_groups), names(settings.oidc_blocked_groups)];
  if (allowed.length === 0 && blocked.length === 0) return undefined;
  if (!claims.known) return `groups_${claims.reason}`;
  const isIn = (list: readonly string[]): boolean => claims.values.some((value) => list.includes(value));
  if (isIn(blocked)) return 'blocked_group';
  return allowed.length > 0 && !isIn(allowed) ? 'no_allowed_group' : undefined;
}

/** Whether one of these values makes an administrator by the provider's own setting. */
export function namesAdmin(values: readonly string[], settings: Pick<OidcSettings, 'oidc_admin_role'>): boolean {
  return adminByRole({ known: true, values }, { roles: names(settings.oidc_admin_role), configured: true }) === 'yes';
}

function slashless(url: string): string {
  return url.trim().replace(/(?<!\/)\/+$/, '');
}
