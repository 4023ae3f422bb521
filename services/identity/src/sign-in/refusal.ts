import { writeAudit, type AuditErrorCode } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import type { Db } from '../database.ts';
import type { Attempt, Lockout } from '../lockout/lockout.ts';
import type { Entered } from '../provisioning/provisioning.ts';
import type { Work } from './pace.ts';
import type { Candidate } from './sign-in.ts';

/** What is known of one try while it goes on. */
export type Try = {
  typed: string;
  password: string;
  client: Client;
  account: Candidate | undefined;
  /** Budgets it was counted on. */
  attempts: Attempt[];
  work: Work[];
};
export type Refusal = {
  errorCode: AuditErrorCode;
  method?: 'local' | 'ldap';
  /** For the administrator; never part of the answer. */
  reason?: string;
};

/** Writes down why somebody is not let in, and which account that locked. */
export const createRefusal = (db: Db) => {
  const locked = (t: Try, attempt: Attempt) =>
    writeAudit(db, {
      event: 'auth.account.lockout',
      outcome: 'success',
      actor: 'lockout',
      userId: t.account?.id,
      username: t.account?.email ?? attempt.key,
      client: t.client,
    });

  return async (t: Try, { errorCode, method, reason }: Refusal): Promise<Entered> => {
    await writeAudit(db, {
      event: 'auth.login.failure',
      outcome: 'failure',
      userId: t.account?.id,
      username: t.account?.email ?? t.typed,
      errorCode,
      client: t.client,
      details: { ...(method ? { method } : {}), ...(reason ? { reason } : {}) },
    });
    for (const attempt of t.attempts) if (attempt.locksAccount) await locked(t, attempt);
    return { outcome: 'refused', errorCode, userId: t.account?.id };
  };
};
export type Refuse = ReturnType<typeof createRefusal>;

/** The password was right: earlier failures are forgotten. */
export const forgive = async (lockout: Lockout, t: Try): Promise<void> => {
  for (const attempt of t.attempts.splice(0)) await lockout.succeed(attempt);
};
/** Nothing was tried: this attempt does not count. */
export const takeBack = async (lockout: Lockout, t: Try): Promise<void> => {
  for (const attempt of t.attempts.splice(0)) await lockout.giveBack(attempt);
};
