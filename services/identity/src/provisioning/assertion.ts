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
  /** Where the address is made up: another one, for when somebody of the same name has it. */
  spareEmail?: string;
  /** The source vouches for the address (specification, "Authentication" 6). */
  emailVerified: boolean;
  name: string;
  claims: Claims;
  legacyAdmin: LegacyAdmin;
};
