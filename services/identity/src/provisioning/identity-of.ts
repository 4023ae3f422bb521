import { assertNever } from '@overtone/service-kit';
import type { User } from '../generated/client.ts';
import type { Assertion } from './assertion.ts';

type Names = Pick<
  User,
  'ldapUid' | 'directoryId' | 'oidcIssuer' | 'oidcSubject' | 'pkiIssuerDn' | 'pkiSubjectDn' | 'proxyUser'
>;

/** What provisioning must know of an account. */
export type Known = Names &
  Pick<User, 'id' | 'email' | 'assertedEmail' | 'fullName' | 'role' | 'isActive' | 'approvalStatus' | 'authType'>;

/** The columns in which an account keeps who its owner is at a source; a null is not known. */
export const identityOf = ({ source, subject, login }: Assertion): Partial<Names> => {
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
};

/** The subject of a certificate is known, but not yet whose word it is. */
export const lacksIssuer = (user: Names, { source }: Assertion): boolean =>
  source === 'pki' && user.pkiIssuerDn === null;

/** Whether an account belongs to somebody at a source already: then no e-mail address makes it anybody else's. */
const isTaken = (user: Names): boolean =>
  [user.ldapUid, user.directoryId, user.oidcSubject, user.pkiSubjectDn, user.proxyUser].some((name) => name !== null);

/** Why an account with the same e-mail address is not linked (specification, "Authentication" 6); null: it is. */
export const linkFault = (user: Known, a: Assertion): string | null => {
  if (!a.emailVerified) return 'the address is not verified';
  if (user.role === 'super_admin') return 'it is a super_admin';
  if (isTaken(user)) return 'it is linked already';
  return user.authType === 'local' || user.authType === a.source ? null : 'it belongs to another source';
};
