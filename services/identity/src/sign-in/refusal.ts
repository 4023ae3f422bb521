import { isAppError } from '@overtone/service-kit';
import { writeAudit, type AuditErrorCode } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import type { Db, Tx } from '../database.ts';
import type { FailureReservation, Lockout } from '../lockout/lockout.ts';
import type { SignInResult } from '../provisioning/provisioning.ts';
import type { Telemetry } from '../telemetry.ts';
import type { Work } from './pace.ts';
import type { SignInAccount } from './sign-in.ts';

/** The state of one sign-in attempt. */
export type SignInAttempt = {
  typed: string;
  password: string;
  client: Client;
  account: SignInAccount | undefined;
  /** Failure counters that were increased in advance, and whether the attempt still counts as a failure. */
  reservations: FailureReservation[];
  counts: boolean;
  work: Work[];
};
export type Refusal = {
  errorCode: AuditErrorCode;
  method?: 'local' | 'ldap';
  /** For the administrator; never part of the response. */
  reason?: string;
};

/** Audits why a sign-in was refused, and which accounts that has locked. */
export function createRefusal({ db, telemetry }: { db: Db; telemetry: Pick<Telemetry, 'lockouts'> }) {
  const auditLock = async (attempt: SignInAttempt, reservation: FailureReservation): Promise<void> => {
    telemetry.lockouts.inc();
    await writeAudit(db, {
      event: 'auth.account.lockout',
      outcome: 'success',
      actor: 'lockout',
      userId: attempt.account?.id,
      username: attempt.account?.email ?? reservation.key,
      client: attempt.client,
    });
  };

  return async (attempt: SignInAttempt, { errorCode, method, reason }: Refusal): Promise<SignInResult> => {
    await writeAudit(db, {
      event: 'auth.login.failure',
      outcome: 'failure',
      userId: attempt.account?.id,
      username: attempt.account?.email ?? attempt.typed,
      errorCode,
      client: attempt.client,
      details: { ...(method ? { method } : {}), ...(reason ? { reason } : {}) },
    });
    for (const reservation of attempt.reservations)
      if (attempt.counts && reservation.locksAccount) await auditLock(attempt, reservation);
    return { outcome: 'refused', errorCode, userId: attempt.account?.id };
  };
}

export type Refuse = ReturnType<typeof createRefusal>;

/** The password was correct: resets the failure counters. */
export async function clearFailures(lockout: Lockout, attempt: SignInAttempt, tx?: Tx): Promise<void> {
  for (const reservation of attempt.reservations) await lockout.clear(reservation, tx);
  attempt.counts = false;
}

/** The password was not checked: this attempt does not count. */
export async function releaseReservations(lockout: Lockout, attempt: SignInAttempt): Promise<void> {
  for (const reservation of attempt.reservations) await lockout.release(reservation);
  attempt.counts = false;
}

/** A sign-in refused by the session limit is no failed password: resets the counters, then throws `error`. */
export async function clearFailuresOnSessionLimit(
  lockout: Lockout,
  attempt: SignInAttempt,
  error: unknown,
): Promise<never> {
  if (isAppError(error) && error.code === 'too_many_sessions') await clearFailures(lockout, attempt);
  throw error;
}
