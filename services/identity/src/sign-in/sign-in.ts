import type { AuthSettings } from '@overtone/contracts';
import type { AuditErrorCode } from '../audit/audit.ts';
import type { Person } from '../directory/directory.ts';
import type { Assertion, AccountSnapshot } from '../provisioning/provisioning.ts';

/** An account with the columns that a password sign-in needs. */
export type SignInAccount = AccountSnapshot & { allowLocalFallback: boolean; passwordHash: string | null };

/** Rejects values that a directory could take for an empty password, and so for an unauthenticated bind (RFC 4513, 5.1.2). */
export function isBlank(password: string): boolean {
  return /^[\s\0]*$/.test(password);
}

/** A person authenticated by the directory, in the form that provisioning expects. */
export function assertionOf(p: Person, s: Pick<AuthSettings, 'ldap_email_verified'>): Assertion {
  return {
    source: 'ldap',
    subject: { issuer: null, id: p.immutableId ?? '' },
    login: p.login,
    email: p.email,
    emailVerified: s.ldap_email_verified,
    name: p.name,
    claims: p.groups,
    legacyAdmin: p.adminSignal,
  };
}

/** Whether the directory entry belongs to the account whose failure counter was used. */
export function isOwner(account: SignInAccount | undefined, p: Person): boolean {
  if (!account) return true;
  if (account.directoryId !== null || p.immutableId !== null) return account.directoryId === p.immutableId;
  return account.ldapUid !== null && account.ldapUid.toLowerCase() === p.login.toLowerCase();
}

/** Reasons for a refusal other than a wrong name or password. */
export function faultOf({ admitted, state }: Person): { errorCode: AuditErrorCode; reason: string } | null {
  if (state.signIn === 'refused')
    return { errorCode: 'NOT_ADMITTED', reason: `in the directory: ${state.reason ?? 'refused'}` };
  return admitted === 'yes' ? null : { errorCode: 'NOT_ADMITTED', reason: `admitted: ${admitted}` };
}

/** The sign-in methods in display order, with what the sign-in page needs. */
export function methodsOf(s: AuthSettings) {
  return {
    methods: [
      ...(s.local_enabled ? (['local'] as const) : []),
      ...(s.ldap_enabled ? (['ldap'] as const) : []),
      ...(s.oidc_enabled ? (['oidc'] as const) : []),
      ...(s.pki_enabled ? (['pki'] as const) : []),
      ...(s.proxy_enabled ? (['proxy'] as const) : []),
    ],
    local_enabled: s.local_enabled,
    allow_registration: s.allow_registration && s.local_enabled,
    ldap_enabled: s.ldap_enabled,
    oidc_enabled: s.oidc_enabled,
    pki_enabled: s.pki_enabled,
    proxy_enabled: s.proxy_enabled,
    oidc_display_name: s.oidc_display_name,
    keycloak_enabled: s.oidc_enabled,
  };
}
