import { isAppError } from '@overtone/service-kit';
import { writeAudit, type AuditErrorCode } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import type { Db, Tx } from '../database.ts';
import type { FailureReservation, Lockout } from '../lockout/lockout.ts';
import type { Entered } from '../provisioning/provisioning.ts';
import type { Telemetry } from '../telemetry.ts';
import type { Work } from './pace.ts';
import type { Candidate } from './sign-in.ts';

/** The state of one sign-in attempt. */
export type SignInAttempt = {
  typed: string;
  password: string;
  client: Client;
  account: Candidate | undefined;
  /** Budgets it was counted on, and whether it still is. */
  attempts: FailureReservation[];
  counts: boolean;
  work: Work[];
};
export type Refusal = {
  errorCode: AuditErrorCode;
  method?: 'local' | 'ldap';
  /** For the administrator; never part of the answer. */
  reason?: string;
};

/** Audits why a sign-in was refused, and which account that locked. */
export const createRefusal = ({ db, telemetry }: { db: Db; telemetry: Pick<Telemetry, 'lockouts'> }) => {
  const locked = async (t: SignInAttempt, attempt: FailureReservation): Promise<void> => {
    telemetry.lockouts.inc();
    await writeAudit(db, {
      event: 'auth.account.lockout',
      outcome: 'success',
      actor: 'lockout',
      userId: t.account?.id,
      username: t.account?.email ?? attempt.key,
      client: t.client,
    });
  };

  return async (t: SignInAttempt, { errorCode, method, reason }: Refusal): Promise<Entered> => {
    await writeAudit(db, {
      event: 'auth.login.failure',
      outcome: 'failure',
      userId: t.account?.id,
      username: t.account?.email ?? t.typed,
      errorCode,
      client: t.client,
      details: { ...(method ? { method } : {}), ...(reason ? { reason } : {}) },
    });
    for (const attempt of t.attempts) if (t.counts && attempt.locksAccount) await locked(t, attempt);
    return { outcome: 'refused', errorCode, userId: t.account?.id };
  };
};
export type Refuse = ReturnType<typeof createRefusal>;

/** The password was right: earlier failures are forgotten. */
export const forgive = async (lockout: Lockout, t: SignInAttempt, tx?: Tx): Promise<void> => {
  for (const attempt of t.attempts) await lockout.succeed(attempt, tx);
  t.counts = false;
};
/** Nothing was tried: this attempt does not count. */
export const takeBack = async (lockout: Lockout, t: SignInAttempt): Promise<void> => {
  for (const attempt of t.attempts) await lockout.giveBack(attempt);
  t.counts = false;
};

/** Kept out by the number of their sessions: they may know, and it is no failed password. */
export const forgiveCrowd = async (lockout: Lockout, t: SignInAttempt, error: unknown): Promise<never> => {
  if (isAppError(error) && error.code === 'too_many_sessions') await forgive(lockout, t);
  throw error;
};
