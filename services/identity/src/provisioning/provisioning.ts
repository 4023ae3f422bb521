import type { Client } from '../client.ts';
import type { Tx } from '../database.ts';
import type { FailureReservation } from '../lockout/lockout.ts';
import type { Issued } from '../sessions/sessions.ts';
import type { Assertion } from './assertion.ts';
import type { AccountSnapshot } from './account-snapshot.ts';
import type { RefusedSignIn } from './refusals.ts';

export { hasNoLocalPassword, mayUseLocalPassword } from './local-password.ts';
export { createRefusals, methodOff, ownerRefusal, recordRefusal, signInRefused, type Refuse } from './refusals.ts';
export type { Assertion } from './assertion.ts';
export { linkFault } from './identity-of.ts';
export { snapshotColumns, type AccountSnapshot } from './account-snapshot.ts';
export { firstStatus, signupMethods } from './signups.ts';
export { statusFaultOf } from './status-fault.ts';

export type SignInResult = { outcome: 'signed_in'; userId: string; issued: Issued } | RefusedSignIn;

/** A password that the directory has verified, and the failure counters that were increased before that. */
export type VerifiedPassword = {
  /** The account that was found by the login name. */
  account: AccountSnapshot | undefined;
  reservations: readonly FailureReservation[];
  /** Runs in the transaction of the sign-in once the account is known, also when the account may not sign in. */
  onVerified: (tx: Tx, userId: string) => Promise<void>;
};

export type Provisioning = {
  /**
   * `signIn` for a caller that needs the result, or has increased failure counters that a correct password resets.
   */
  trySignIn: (assertion: Assertion, client: Client, verified?: VerifiedPassword) => Promise<SignInResult>;
  /**
   * Finds, links or creates the account, reconciles groups and role, and opens a session.
   * @throws AppError unauthenticated, the same for every refusal.
   */
  signIn: (assertion: Assertion, client: Client) => Promise<Issued>;
};
