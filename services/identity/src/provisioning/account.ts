import type { AuthSettings } from '@overtone/contracts';
import { assertNever } from '@overtone/service-kit';
import type { AuditErrorCode } from '../audit/audit.ts';
import type { User } from '../generated/client.ts';
import type { MappedAccount } from '../mappings/mappings.ts';
import { accountStamp } from '../sessions/sessions.ts';
import { emailOf, nameOf, type Assertion } from './assertion.ts';

type Names = Pick<
  User,
  'ldapUid' | 'directoryId' | 'oidcIssuer' | 'oidcSubject' | 'pkiIssuerDn' | 'pkiSubjectDn' | 'proxyUser'
>;

/** The columns of an account that provisioning uses. */
export type Account = Names &
  Pick<User, 'id' | 'email' | 'assertedEmail' | 'fullName' | 'role' | 'isActive' | 'approvalStatus' | 'authType'>;

/** An account read without a lock, with a hash of its row and the data that mappings use. */
export type AccountSnapshot = Account & MappedAccount & { stamp: string };

/** The columns of an `Account`; the row has the alias `t`. */
export const accountColumns = `
  t.uuid as id, t.email, t.full_name as "fullName", t.role, t.is_active as "isActive",
  t.approval_status as "approvalStatus", t.auth_type as "authType", t.ldap_uid as "ldapUid",
  t.directory_id as "directoryId", t.oidc_issuer as "oidcIssuer", t.oidc_subject as "oidcSubject",
  t.pki_issuer_dn as "pkiIssuerDn", t.pki_subject_dn as "pkiSubjectDn", t.proxy_user as "proxyUser",
  t.asserted_email as "assertedEmail"`;

/** The columns of an `AccountSnapshot` for a sign-in by this source. */
export function snapshotColumns(source: Assertion['source']): string {
  return `${accountColumns}, ${accountStamp('t')} as stamp,
  array(select m.group_id::text from user_group_member m where m.user_id = t.uuid) as "groupIds",
  array(select m.group_id::text from user_group_member m where m.user_id = t.uuid and m.source = '${source}') as "groupIdsOfSource",
  (select v.version::text from group_mapping_version v where v.source = '${source}') as "mappingsVersion"`;
}

/** The columns that identify the owner of an account at a source; null is not known. */
export function identityOf({ source, subject, login }: Assertion): Partial<Names> {
  const id = subject.id || null;
  switch (source) {
    case 'ldap':
      return { ldapUid: login, directoryId: id };
    case 'oidc':
      return { oidcIssuer: subject.issuer, oidcSubject: id };
    case 'pki':
      return { pkiIssuerDn: subject.issuer, pkiSubjectDn: id };
    case 'proxy':
      return { proxyUser: id };
    default:
      return assertNever(source);
  }
}

/** Whether an account has the subject of a certificate but no issuer yet. */
export function lacksIssuer(user: Names, { source }: Assertion): boolean {
  return source === 'pki' && user.pkiIssuerDn === null;
}

/** Whether an account is linked to an identity at a source: then it is never linked by e-mail address. */
function isLinked(user: Names): boolean {
  return [user.ldapUid, user.directoryId, user.oidcSubject, user.pkiSubjectDn, user.proxyUser].some(
    (name) => name !== null,
  );
}

/** The provider has another address now, and an administrator has not moved the accounts yet. */
function hasOldIssuer(user: Names, { source, subject }: Assertion): boolean {
  return source === 'oidc' && user.oidcSubject === subject.id && user.oidcIssuer !== subject.issuer;
}

/** Why an account with the same e-mail address is not linked (specification, "Authentication" 6); null: it is. */
export function linkFault(user: Account, assertion: Assertion): string | null {
  if (!assertion.emailVerified) return 'the address is not verified';
  if (user.role === 'super_admin') return 'it is a super_admin';
  if (hasOldIssuer(user, assertion)) return `it is linked at the earlier address ${user.oidcIssuer} of the provider`;
  if (isLinked(user)) return 'it is linked already';
  return user.authType === 'local' || user.authType === assertion.source ? null : 'it belongs to another source';
}

type Profile = Pick<Account, 'email' | 'fullName' | 'ldapUid' | 'assertedEmail' | 'authType'>;
type ProfileChange = { fullName?: string; email?: string; ldapUid?: string; assertedEmail?: string };

/**
 * The address of an account follows its source. A certificate is the exception: it repeats the same address for years, so
 * only an address that it did not name before replaces the one of the account.
 */
function emailChange(user: Profile, assertion: Assertion): ProfileChange {
  const email = emailOf(assertion);
  const isStored = (other: string): boolean => other.toLowerCase() === user.email.toLowerCase();
  if (assertion.otherEmails?.some(isStored)) return {};
  const change = email && email !== user.email ? { email } : {};
  if (assertion.source !== 'pki' || !email) return change;
  if (email === user.assertedEmail) return {};
  const isFollowed = user.assertedEmail !== null || assertion.placeholderEmails?.includes(user.email) === true;
  return { assertedEmail: email, ...(isFollowed ? change : {}) };
}

/** The differences between an account and what its source asserts. */
export function profileChangesOf(user: Profile, assertion: Assertion): ProfileChange {
  // A certificate linked by an administrator does not change the name and address of the account.
  if (assertion.source === 'pki' && user.authType !== 'pki') return {};
  const fullName = assertion.name ? nameOf(assertion, emailOf(assertion) ?? user.email) : user.fullName;
  const ldapUid = assertion.source === 'ldap' ? assertion.login : user.ldapUid;
  return {
    ...(fullName === user.fullName ? {} : { fullName }),
    ...emailChange(user, assertion),
    ...(ldapUid && ldapUid !== user.ldapUid ? { ldapUid } : {}),
  };
}

/** Labels of `user_signups_total` and of the event, by kind of account; the specification's names. */
export const signupMethods = {
  local: 'local',
  ldap: 'ldap',
  oidc: 'keycloak',
  pki: 'pki',
  proxy: 'external',
} as const;

/** Whether a new account waits for approval. */
export function firstStatus(settings: Pick<AuthSettings, 'require_account_approval'>): 'pending' | 'approved' {
  return settings.require_account_approval ? 'pending' : 'approved';
}

type Lifecycle = { isActive: boolean; approvalStatus: string };

/**
 * Why an account gets no session although its owner is verified; null: it does. The response names the state (ADR 0006).
 * An outdated password or an end date does not prevent the sign-in: the session is refused at each request.
 */
export function statusFaultOf(user: Lifecycle): AuditErrorCode | null {
  if (!user.isActive) return 'INACTIVE_USER';
  if (user.approvalStatus === 'approved') return null;
  return user.approvalStatus === 'rejected' ? 'ACCOUNT_REJECTED' : 'ACCOUNT_PENDING_APPROVAL';
}

type Kind = { authType: string };

/**
 * Accounts that never have a local password (specification, "Authentication" 3): they cannot sign in with one,
 * `allow_local_fallback` cannot be switched on for them, and their password can be neither reset nor changed.
 */
export function hasNoLocalPassword({ authType }: Kind): boolean {
  return authType === 'ldap' || authType === 'proxy';
}

/** Whether the account may sign in with a local password. */
export function mayUseLocalPassword(user: Kind & { allowLocalFallback: boolean }): boolean {
  return user.authType === 'local' || (user.allowLocalFallback && !hasNoLocalPassword(user));
}
