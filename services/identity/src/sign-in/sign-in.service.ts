import { forbidden, unauthenticated } from '@overtone/service-kit';
import { writeAudit, type AuditErrorCode } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import { txOptions, type Db } from '../database.ts';
import type { Lockout } from '../lockout/lockout.ts';
import type { PasswordHasher } from '../passwords/passwords.ts';
import type { Issued, Sessions } from '../sessions/sessions.ts';
import { signInStore, type Candidate } from './sign-in.store.ts';

type Deps = { db: Db; hasher: PasswordHasher; lockout: Lockout; sessions: Sessions };
export type SignIn = { withPassword: (username: string, password: string, client: Client) => Promise<Issued> };

/** One answer for every reason, so that nothing is learnt about who has an account. */
const wrong = () => unauthenticated('invalid_credentials', 'Incorrect username or password');

export const createSignIn = ({ db, hasher, lockout, sessions }: Deps): SignIn => {
  const audit = async (user: Candidate | undefined, username: string, errorCode: AuditErrorCode, client: Client) =>
    writeAudit(db, { event: 'auth.login.failure', outcome: 'failure', userId: user?.id, username, errorCode, client });

  const check = async (user: Candidate, hash: string, password: string, client: Client): Promise<void> => {
    const attempt = await lockout.begin(user.id);
    if (!attempt) {
      await hasher.idle();
      await audit(user, user.email, 'ACCOUNT_LOCKED', client);
      throw wrong();
    }
    if (await hasher.verify(hash, password)) return lockout.succeed(attempt);
    await audit(user, user.email, 'INVALID_CREDENTIALS', client);
    if (attempt.locksAccount)
      await writeAudit(db, {
        event: 'auth.account.lockout',
        outcome: 'success',
        actor: 'lockout',
        userId: user.id,
        username: user.email,
        client,
      });
    throw wrong();
  };

  return {
    withPassword: async (username, password, client) => {
      const user = await signInStore.find(db, username);
      const hash = user?.passwordHash;
      if (!user || !hash) {
        await hasher.pretend(password);
        await audit(user, username, 'INVALID_CREDENTIALS', client);
        throw wrong();
      }
      await lockout.oneAtATime(user.id, () => check(user, hash, password, client));
      if (!user.isActive) {
        await audit(user, user.email, 'INACTIVE_USER', client);
        throw forbidden('account_disabled', 'This account is disabled');
      }
      return db.$transaction(async (tx) => {
        // The password may have been changed since it was read: then this sign-in came too late.
        if (!(await signInStore.signedIn(tx, user.id, hash))) throw wrong();
        const issued = await sessions.open(tx, user, client);
        await writeAudit(tx, {
          event: 'auth.login.success',
          outcome: 'success',
          userId: user.id,
          username: user.email,
          client,
          details: { method: 'local' },
        });
        return issued;
      }, txOptions);
    },
  };
};
