import type { Client } from '@overtone/service-kit';
import type { AuditRecord } from '../audit/audit.ts';
import type { Tx } from '../database.ts';
import type { FailureReservation } from '../lockout/lockout.ts';
import type { ReconcileRequest } from '../mappings/mappings.ts';
import type { Issued } from '../sessions/sessions.ts';
import type { Account, AccountSnapshot } from './account.ts';
import type { Assertion } from './assertion.ts';
import type { RefusedSignIn } from './refusals.ts';

export {
  firstStatus,
  hasNoLocalPassword,
  linkFault,
  mayUseLocalPassword,
  signupMethods,
  snapshotColumns,
  statusFaultOf,
  type AccountSnapshot,
} from './account.ts';
export { methodOff, ownerRefusal, recordRefusal, signInRefused, type Refuse } from './refusals.ts';
export type { Assertion } from './assertion.ts';

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

/**
 * The reconciliation that a sign-in requires. A certificate that was linked to an account of another source proves the
 * person; the role is decided by the account's own source.
 */
export function reconcileRequestOf(
  user: Pick<Account, 'id' | 'authType'>,
  { claims, legacyAdmin, source }: Assertion,
  client: Client,
): ReconcileRequest {
  const isLinkedCertificate = source === 'pki' && user.authType !== 'pki';
  return {
    userId: user.id,
    source,
    claims,
    legacyAdmin: isLinkedCertificate ? 'unknown' : legacyAdmin,
    actor: 'idp_login',
    client,
  };
}

export function signInRecordOf(
  user: Pick<Account, 'id' | 'email' | 'role'>,
  assertion: Assertion,
  client: Client,
): AuditRecord {
  return {
    event: 'auth.login.success',
    outcome: 'success',
    userId: user.id,
    username: user.email,
    client,
    details: {
      method: assertion.source,
      ...assertion.auditDetails,
      ...(assertion.warning ? { ...assertion.warning, role: user.role } : {}),
    },
  };
}
