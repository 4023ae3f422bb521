import type { AuthSettings } from '@overtone/contracts';
import type { Client } from '@overtone/service-kit';
import type { AuditErrorCode } from '../audit/audit.ts';
import type { Person } from '../directory/directory.ts';
import type { FailureReservation } from '../lockout/lockout.ts';
import type { AccountSnapshot, Assertion, SignInResult } from '../provisioning/provisioning.ts';
import type { Work } from './pace.ts';

/** An account with the columns that a password sign-in needs. */
export type SignInAccount = AccountSnapshot & { allowLocalFallback: boolean; passwordHash: string | null };

export type SignInRequest = { typed: string; password: string; client: Client };
/** One sign-in, by what is known about its account. */
export type SignInAttempt = SignInRequest & {
  /** Failure counters that were increased before the password is checked. */
  reservations: readonly FailureReservation[];
  /** What has made it slow so far. */
  work: readonly Work[];
} & ({ stage: 'unknown'; account: undefined } | { stage: 'found'; account: SignInAccount });
export type FoundAttempt = SignInAttempt & { stage: 'found' };

export type PasswordResult =
  | Extract<SignInResult, { outcome: 'signed_in' }>
  | (Extract<SignInResult, { outcome: 'refused' }> & { work: readonly Work[] });

export type Refusal = {
  errorCode: AuditErrorCode;
  method?: 'local' | 'ldap';
  /** For the administrator; never part of the response. */
  reason?: string;
  /** Clear: the password was correct. Release: it was not checked. Otherwise the attempt counts as a failure. */
  counters?: 'clear' | 'release' | 'keep';
};
/** The attempt after work that makes a sign-in slow. */
export function addWork<A extends SignInAttempt>(attempt: A, work: Work): A {
  return { ...attempt, work: [...attempt.work, work] };
}

/** Rejects values that a directory could take for an empty password, and so for an unauthenticated bind (RFC 4513, 5.1.2). */
export function isBlank(password: string): boolean {
  return /^[\s\0]*$/.test(password);
}

/** A person authenticated by the directory, in the form that provisioning expects. */
export function assertionOf(person: Person, settings: Pick<AuthSettings, 'ldap_email_verified'>): Assertion {
  return {
    source: 'ldap',
    subject: { issuer: null, id: person.immutableId ?? '' },
    login: person.login,
    email: person.email,
    otherEmails: person.emails,
    emailVerified: settings.ldap_email_verified,
    name: person.name,
    claims: person.groups,
    legacyAdmin: person.adminSignal,
  };
}

/** Whether the directory entry belongs to the account whose failure counter was used. */
export function isOwner(account: SignInAccount | undefined, person: Person): boolean {
  if (!account) return true;
  if (account.directoryId !== null || person.immutableId !== null) return account.directoryId === person.immutableId;
  return account.ldapUid !== null && account.ldapUid.toLowerCase() === person.login.toLowerCase();
}

/** Reasons for a refusal other than a wrong name or password. */
export function faultOf({ admitted, state }: Person): { errorCode: AuditErrorCode; reason: string } | null {
  if (state.signIn === 'refused')
    return { errorCode: 'NOT_ADMITTED', reason: `in the directory: ${state.reason ?? 'refused'}` };
  return admitted === 'yes' ? null : { errorCode: 'NOT_ADMITTED', reason: `admitted: ${admitted}` };
}

/** The sign-in methods in display order, with what the sign-in page needs. */
export function methodsOf(settings: AuthSettings) {
  return {
    methods: [
      ...(settings.local_enabled ? (['local'] as const) : []),
      ...(settings.ldap_enabled ? (['ldap'] as const) : []),
      ...(settings.oidc_enabled ? (['oidc'] as const) : []),
      ...(settings.pki_enabled ? (['pki'] as const) : []),
      ...(settings.proxy_enabled ? (['proxy'] as const) : []),
    ],
    local_enabled: settings.local_enabled,
    allow_registration: settings.allow_registration && settings.local_enabled,
    ldap_enabled: settings.ldap_enabled,
    oidc_enabled: settings.oidc_enabled,
    pki_enabled: settings.pki_enabled,
    proxy_enabled: settings.proxy_enabled,
    oidc_display_name: settings.oidc_display_name,
    keycloak_enabled: settings.oidc_enabled,
  };
}
