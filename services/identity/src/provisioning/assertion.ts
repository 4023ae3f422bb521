import type { Claims, LegacyAdmin } from '../mappings/mappings.ts';

/** A person whom a directory, provider, certificate authority or proxy has authenticated and admitted. */
export type Assertion = {
  source: 'ldap' | 'oidc' | 'pki' | 'proxy';
  /**
   * The permanent identity at the source: the immutable id of the directory (empty where it has none), issuer and subject
   * of the token or of the certificate, the user name of the proxy.
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
  /** Recorded with the sign-in: what the source did not assert. */
  warning?: Record<string, string>;
  /** Further details for the audit record of the sign-in. */
  auditDetails?: Readonly<Record<string, string>>;
};
