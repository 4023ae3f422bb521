import type { Claims, LegacyAdmin } from '../mappings/mappings.ts';

/** Somebody whom a directory, provider or proxy has authenticated and admitted. */
export type Assertion = {
  source: 'ldap' | 'oidc' | 'pki' | 'proxy';
  /**
   * What never changes about the person there: the directory's immutable id (empty where it has none), issuer and
   * subject, issuer and subject of the certificate, the proxy's user name.
   */
  subject: { issuer: string | null; id: string };
  login: string;
  email: string | null;
  /**
   * For a new account whose source asserts no address: addresses that receive no mail, of which the first free one is
   * taken. They never replace the address of an account.
   */
  placeholderEmails?: readonly string[];
  /** The source vouches for the address (specification, "Authentication" 6). */
  emailVerified: boolean;
  name: string;
  claims: Claims;
  legacyAdmin: LegacyAdmin;
  /** Shown at the audit record of the sign-in: what the source left open. */
  warning?: Record<string, string>;
  /** What the audit trail records of the proof, beside the method. */
  auditDetails?: Readonly<Record<string, string>>;
};
