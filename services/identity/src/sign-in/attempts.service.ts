import { isAppError } from '@overtone/service-kit';
import { writeAudit, type AuditErrorCode } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import type { Db, Tx } from '../database.ts';
import type { FailureReservation, Lockout, LockoutKey } from '../lockout/lockout.ts';
import { recordRefusal, type SignInResult } from '../provisioning/provisioning.ts';
import type { Telemetry } from '../telemetry.ts';
import type { Work } from './pace.ts';
import type { SignInAccount } from './sign-in.ts';

export type SignInRequest = { typed: string; password: string; client: Client };
/** One sign-in, by what is known about its account. */
export type SignInAttempt = SignInRequest & {
  /** Failure counters that were increased before the password is checked. */
  reservations: readonly FailureReservation[];
  /** What has made it slow so far. */
  work: readonly Work[];
} & ({ stage: 'unknown'; account: undefined } | { stage: 'found'; account: SignInAccount });
export type FoundAttempt = SignInAttempt & { stage: 'found' };

export type PasswordResult =
  | Extract<SignInResult, { outcome: 'signed_in' }>
  | (Extract<SignInResult, { outcome: 'refused' }> & { work: readonly Work[] });

export type Refusal = {
  errorCode: AuditErrorCode;
  method?: 'local' | 'ldap';
  /** For the administrator; never part of the response. */
  reason?: string;
  /** Clear: the password was correct. Release: it was not checked. Otherwise the attempt counts as a failure. */
  counters?: 'clear' | 'release' | 'keep';
};
type Deps = { db: Db; lockout: Lockout; telemetry: Pick<Telemetry, 'lockouts'> };

/** Counts attempts, and ends those that are refused. */
export function createAttempts({ db, lockout, telemetry }: Deps) {
  const clear = async ({ reservations }: SignInAttempt, tx?: Tx): Promise<void> => {
    for (const reservation of reservations) await lockout.clear(reservation, tx);
  };

  const auditLock = async ({ account, client }: SignInAttempt, { key }: FailureReservation): Promise<void> => {
    telemetry.lockouts.inc();
    await writeAudit(db, {
      event: 'auth.account.lockout',
      outcome: 'success',
      actor: 'lockout',
      userId: account?.id,
      username: account?.email ?? key,
      client,
    });
  };

  const refuse = async (attempt: SignInAttempt, refusal: Refusal): Promise<PasswordResult> => {
    const { account, client, reservations, typed, work } = attempt;
    const { counters = 'keep', ...reason } = refusal;
    if (counters === 'clear') await clear(attempt);
    if (counters === 'release') for (const reservation of reservations) await lockout.release(reservation);
    const username = account?.email ?? typed;
    const refused = await recordRefusal(db, { ...reason, userId: account?.id, username, client });
    if (counters === 'keep')
      for (const reservation of reservations) if (reservation.locksAccount) await auditLock(attempt, reservation);
    return { ...refused, work };
  };

  return {
    clear,
    refuse,

    /** Counts the attempt for each key before its password is checked; stops at the first that is locked. */
    reserve: async (
      attempt: SignInAttempt,
      keys: readonly LockoutKey[],
    ): Promise<{ isLocked: boolean; attempt: SignInAttempt }> => {
      const reservations = [...attempt.reservations];
      for (const key of keys) {
        const reservation = await lockout.reserve(key);
        if (!reservation) return { isLocked: true, attempt: { ...attempt, reservations } };
        reservations.push(reservation);
      }
      return { isLocked: false, attempt: { ...attempt, reservations } };
    },

    /** Runs one attempt per key at a time; refuses an attempt that would have to wait too long. */
    runExclusively: (
      attempt: SignInAttempt,
      key: LockoutKey,
      check: () => Promise<PasswordResult>,
    ): Promise<PasswordResult> =>
      lockout.runExclusively(key, check).catch((error: unknown) => {
        if (!isAppError(error) || error.code !== 'rate_limited') throw error;
        return refuse(attempt, { errorCode: 'ACCOUNT_LOCKED', reason: 'too many reservations at once' });
      }),

    /** A sign-in refused by the session limit is no failed password: clears the counters, then throws `error`. */
    clearOnSessionLimit: async (attempt: SignInAttempt, error: unknown): Promise<never> => {
      if (isAppError(error) && error.code === 'too_many_sessions') await clear(attempt);
      throw error;
    },
  };
}

export type Attempts = ReturnType<typeof createAttempts>;
