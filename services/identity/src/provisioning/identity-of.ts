import { assertNever } from '@overtone/service-kit';
import type { User } from '../generated/client.ts';
import type { Assertion } from './assertion.ts';

type Names = Pick<
  User,
  'ldapUid' | 'directoryId' | 'oidcIssuer' | 'oidcSubject' | 'pkiIssuerDn' | 'pkiSubjectDn' | 'proxyUser'
>;

/** The columns of an account that provisioning uses. */
export type Account = Names &
  Pick<User, 'id' | 'email' | 'assertedEmail' | 'fullName' | 'role' | 'isActive' | 'approvalStatus' | 'authType'>;

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

/** Why an account with the same e-mail address is not linked (specification, "Authentication" 6); null: it is. */
export function linkFault(user: Account, assertion: Assertion): string | null {
  if (!assertion.emailVerified) return 'the address is not verified';
  if (user.role === 'super_admin') return 'it is a super_admin';
  if (isLinked(user)) return 'it is linked already';
  return user.authType === 'local' || user.authType === assertion.source ? null : 'it belongs to another source';
}
