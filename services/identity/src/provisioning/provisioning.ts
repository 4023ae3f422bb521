import type { AuditErrorCode } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import type { Tx } from '../database.ts';
import type { Attempt } from '../lockout/lockout.ts';
import type { Claims, LegacyAdmin } from '../mappings/mappings.ts';
import type { Issued } from '../sessions/sessions.ts';
import type { Seen } from './seen.ts';

export { hasNoLocalPassword, mayUseLocalPassword } from './local-password.ts';
export { accountDisabled, createRefusals, methodOff, signInRefused, type Refuse } from './refusals.ts';
export { seenColumns, type Seen } from './seen.ts';
export { firstStatus, signupMethods } from './signups.ts';
export { standingOf } from './standing.ts';

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

/** How a sign-in ended; a refusal is written to the audit trail already. */
export type Entered =
  | { outcome: 'entered'; userId: string; issued: Issued }
  | { outcome: 'refused'; errorCode: AuditErrorCode; userId: string | undefined };

/** A right password, and the budgets that it was counted on before it was known to be right. */
export type Proof = {
  /** The account that was found by the name, if any, as it was seen then. */
  account: Seen | undefined;
  attempts: readonly Attempt[];
  /** Runs in the transaction of the sign-in once it is sure whose account it is, also when that account is kept out. */
  proved: (tx: Tx, userId: string) => Promise<void>;
};

export type Provisioning = {
  /**
   * `signIn` for a caller who must know how it ended, and who has counted attempts that a right password clears.
   */
  enter: (assertion: Assertion, client: Client, proof?: Proof) => Promise<Entered>;
  /**
   * Finds, links or makes the account, brings groups and role in line and opens a session.
   * @throws AppError unauthenticated, the same for every refusal.
   */
  signIn: (assertion: Assertion, client: Client) => Promise<Issued>;
};
