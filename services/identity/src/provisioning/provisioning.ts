import type { AuditErrorCode } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import type { Tx } from '../database.ts';
import type { FailureReservation } from '../lockout/lockout.ts';
import type { Issued } from '../sessions/sessions.ts';
import type { Assertion } from './assertion.ts';
import type { Seen } from './seen.ts';

export { hasNoLocalPassword, mayUseLocalPassword } from './local-password.ts';
export { createRefusals, methodOff, ownerRefusal, signInRefused, type Refuse } from './refusals.ts';
export type { Assertion } from './assertion.ts';
export { linkFault } from './identity-of.ts';
export { seenColumns, type Seen } from './seen.ts';
export { firstStatus, signupMethods } from './signups.ts';
export { standingOf } from './standing.ts';

/** How a sign-in ended; a refusal is written to the audit trail already. */
export type Entered =
  | { outcome: 'entered'; userId: string; issued: Issued }
  | { outcome: 'refused'; errorCode: AuditErrorCode; userId: string | undefined };

/** A right password, and the budgets that it was counted on before it was known to be right. */
export type Proof = {
  /** The account that was found by the name, if any, as it was seen then. */
  account: Seen | undefined;
  attempts: readonly FailureReservation[];
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
