import { isAppError } from '@overtone/service-kit';
import { writeAudit } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import type { Lockout, LockoutKey } from '../lockout/lockout.ts';
import { recordRefusal } from '../provisioning/provisioning.ts';
import type { Telemetry } from '../telemetry.ts';
import type { PasswordResult, Refusal, SignInAttempt } from './sign-in.ts';

type Deps = { db: Db; lockout: Lockout; telemetry: Pick<Telemetry, 'lockouts'> };
/** The failure counters of a person, and what the audit log says when one of them is locked. */
type Owner = { keys: readonly LockoutKey[] } & Pick<Refusal, 'method' | 'reason'>;
type Check = (attempt: SignInAttempt) => Promise<PasswordResult>;

/** Counts attempts, and ends those that are refused. */
export function createAttempts({ db, lockout, telemetry }: Deps) {
  const clear = async ({ reservations }: SignInAttempt, tx?: Tx): Promise<void> => {
    for (const reservation of reservations) await lockout.clear(reservation, tx);
  };

  const refuse = async (attempt: SignInAttempt, refusal: Refusal): Promise<PasswordResult> => {
    const { account, client, reservations, typed, work } = attempt;
    const { counters = 'keep', ...reason } = refusal;
    if (counters === 'clear') await clear(attempt);
    if (counters === 'release') for (const reservation of reservations) await lockout.release(reservation);
    const username = account?.email ?? typed;
    const refused = await recordRefusal(db, { ...reason, userId: account?.id, username, client });
    if (counters === 'keep') await recordLocks(attempt);
    return { ...refused, work };
  };

  const recordLocks = async ({ account, client, reservations }: SignInAttempt): Promise<void> => {
    for (const { key } of reservations.filter(({ locksAccount }) => locksAccount)) {
      telemetry.lockouts.inc();
      const locked = { userId: account?.id, username: account?.email ?? key, client };
      await writeAudit(db, { event: 'auth.account.lockout', outcome: 'success', actor: 'lockout', ...locked });
    }
  };

  return {
    clear,
    refuse,

    /** Counts the attempt for each key before its password is checked; refuses it at the first key that is locked. */
    reserve: async (attempt: SignInAttempt, { keys, ...details }: Owner, check: Check): Promise<PasswordResult> => {
      const reservations = [...attempt.reservations];
      for (const key of keys) {
        const reservation = await lockout.reserve(key);
        if (!reservation) return refuse({ ...attempt, reservations }, { errorCode: 'ACCOUNT_LOCKED', ...details });
        reservations.push(reservation);
      }
      return check({ ...attempt, reservations });
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
