import type { PasswordHasher } from '@overtone/service-kit/argon2';
import { writeAudit, type AuditRecord } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import { onlyAttemptOn } from '../lockout/lockout.ts';
import { statusFaultOf } from '../provisioning/provisioning.ts';
import type { Issued, Sessions } from '../sessions/sessions.ts';
import type { Attempts } from './attempts.service.ts';
import { signInStore } from './sign-in.store.ts';
import type { FoundAttempt, PasswordResult } from './sign-in.ts';

type Deps = {
  db: Db;
  hasher: PasswordHasher;
  sessions: Sessions;
  attempts: Attempts;
};

/** Sign-in with a password that is stored here. */
export function createLocalPassword({ db, hasher, sessions, attempts }: Deps) {
  /** The usual case: the account does not change, and one failure counter was used. */
  const openIfUnchanged = async ({ account, client, reservations }: FoundAttempt): Promise<Issued | undefined> => {
    const reservation = onlyAttemptOn(reservations, account.id);
    if (!reservation) return undefined;
    const forgives = { locks: reservation.locksAccount };
    return sessions.openSessionIfUnchanged({ user: account, client, audit: recordOf(account, client), forgives });
  };

  const openInTransaction = (attempt: FoundAttempt, hash: string): Promise<Issued | undefined> =>
    db
      .$transaction(async (tx) => {
        const { account, client } = attempt;
        // Undefined when the password has changed since it was read.
        if (!(await signInStore.recordSignIn(tx, account.id, hash))) return undefined;
        await attempts.clear(attempt, tx);
        const tokens = await sessions.open(tx, account, client);
        await writeAudit(tx, recordOf(account, client));
        return tokens;
      })
      .catch((error: unknown) => attempts.clearOnSessionLimit(attempt, error));

  return {
    matches: (hash: string, { password }: FoundAttempt): Promise<boolean> => hasher.verify(hash, password),

    /** Opens a session for the owner of the account. */
    open: async (attempt: FoundAttempt, hash: string): Promise<PasswordResult> => {
      const { account } = attempt;
      const errorCode = statusFaultOf(account);
      if (errorCode) return attempts.refuse(attempt, { errorCode, method: 'local', counters: 'clear' });
      const issued = (await openIfUnchanged(attempt)) ?? (await openInTransaction(attempt, hash));
      if (issued) return { outcome: 'signed_in', userId: account.id, issued };
      return attempts.refuse(attempt, { errorCode: 'INVALID_CREDENTIALS', method: 'local' });
    },
  };
}

function recordOf({ id, email }: FoundAttempt['account'], client: FoundAttempt['client']): AuditRecord {
  const details = { method: 'local' };
  return { event: 'auth.login.success', outcome: 'success', userId: id, username: email, client, details };
}
