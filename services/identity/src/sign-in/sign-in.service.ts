import { isAppError, unavailable } from '@overtone/service-kit';
import { writeAudit, type AuditRecord } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import { txOptions, type Db, type Pool } from '../database.ts';
import type { CurrentDirectory } from '../directory/directory.ts';
import { nameKey, onlyAttemptOn, type Lockout } from '../lockout/lockout.ts';
import type { PasswordHasher } from '../passwords/passwords.ts';
import {
  mayUseLocalPassword,
  ownerRefusal,
  signInRefused,
  standingOf,
  type Entered,
  type Provisioning,
} from '../provisioning/provisioning.ts';
import type { Issued, Sessions } from '../sessions/sessions.ts';
import type { Settings } from '../settings/settings.ts';
import type { Telemetry } from '../telemetry.ts';
import { createDirectoryPassword } from './directory-password.service.ts';
import type { Pace } from './pace.ts';
import { createRefusal, forgive, forgiveCrowd, type SignInAttempt } from './refusal.ts';
import { isBlank, type Candidate } from './sign-in.ts';
import { signInStore } from './sign-in.store.ts';

type Deps = {
  db: Db;
  pool: Pool;
  hasher: PasswordHasher;
  lockout: Lockout;
  sessions: Sessions;
  settings: Settings;
  directory: CurrentDirectory;
  provisioning: Provisioning;
  pace: Pace;
  telemetry: Pick<Telemetry, 'lockouts'>;
};
export type SignIn = { withPassword: (username: string, password: string, client: Client) => Promise<Issued> };

/** Fewer than may wait for a hash, so that "busy" never depends on the name. */
const maxUnderWay = 180;

const enteredLocally = (user: Candidate, client: Client): AuditRecord => ({
  event: 'auth.login.success',
  outcome: 'success',
  userId: user.id,
  username: user.email,
  client,
  details: { method: 'local' },
});

export const createSignIn = (d: Deps): SignIn => {
  const { db, pool, hasher, lockout, sessions, settings, pace } = d;
  const refuse = createRefusal(d);
  const directoryPassword = createDirectoryPassword({ ...d, refuse });
  let underWay = 0;

  /** The usual case: nothing of the account changes, and the budget was used once. */
  const openIfUnchanged = async (t: SignInAttempt, user: Candidate): Promise<Issued | undefined> => {
    const attempt = onlyAttemptOn(t.attempts, user.id);
    if (!attempt) return undefined;
    return sessions.openSessionIfUnchanged({
      user,
      client: t.client,
      audit: enteredLocally(user, t.client),
      forgives: { locks: attempt.locksAccount },
    });
  };

  const openInTransaction = (t: SignInAttempt, user: Candidate, hash: string): Promise<Issued | undefined> =>
    db
      .$transaction(async (tx) => {
        // The password may have been changed since it was read: then this sign-in came too late.
        if (!(await signInStore.signedIn(tx, user.id, hash))) return undefined;
        await forgive(lockout, t, tx);
        const tokens = await sessions.open(tx, user, t.client);
        await writeAudit(tx, enteredLocally(user, t.client));
        return tokens;
      }, txOptions)
      .catch((error: unknown) => forgiveCrowd(lockout, t, error));

  const openLocal = async (t: SignInAttempt, user: Candidate, hash: string): Promise<Entered> => {
    const errorCode = standingOf(user);
    if (errorCode) {
      await forgive(lockout, t);
      return refuse(t, { errorCode, method: 'local' });
    }
    const issued = (await openIfUnchanged(t, user)) ?? (await openInTransaction(t, user, hash));
    if (!issued) return refuse(t, { errorCode: 'INVALID_CREDENTIALS', method: 'local' });
    return { outcome: 'entered', userId: user.id, issued };
  };

  /** The hash to check, for accounts that may sign in with a local password: always so for a super_admin. */
  const localHash = (user: Candidate): string | null => {
    const open = settings.current().local_enabled || user.role === 'super_admin';
    return open && mayUseLocalPassword(user) ? user.passwordHash : null;
  };

  const asAccount = async (t: SignInAttempt, user: Candidate): Promise<Entered> => {
    const hash = localHash(user);
    if (hash !== null) {
      t.work.push('hash');
      if (await hasher.verify(hash, t.password)) return openLocal(t, user, hash);
    }
    if (settings.current().ldap_enabled) return directoryPassword.withPassword(t);
    if (hash !== null) return refuse(t, { errorCode: 'INVALID_CREDENTIALS', method: 'local' });
    t.work.push('hash');
    await hasher.pretend(t.password);
    return refuse(t, { errorCode: 'METHOD_OFF', reason: `the account signs in by: ${user.authType}` });
  };

  const inTurn = async (t: SignInAttempt, key: string): Promise<Entered> => {
    const attempt = await lockout.begin(key);
    if (!attempt) return refuse(t, { errorCode: 'ACCOUNT_LOCKED' });
    t.attempts.push(attempt);
    return t.account ? asAccount(t, t.account) : directoryPassword.withUnknownName(t);
  };

  const attempt = async (t: SignInAttempt): Promise<Entered> => {
    if (t.typed === '' || isBlank(t.password)) return refuse(t, { errorCode: 'INVALID_CREDENTIALS', reason: 'empty' });
    const [account, another] = await signInStore.meant(pool, t.typed);
    if (another)
      return refuse(t, {
        errorCode: 'AMBIGUOUS_NAME',
        reason: 'it is the name of one and the address of another account',
      });
    t.account = account;
    if (!account && !settings.current().ldap_enabled) {
      t.work.push('hash');
      await hasher.pretend(t.password);
      return refuse(t, { errorCode: 'INVALID_CREDENTIALS' });
    }
    const key = account?.id ?? nameKey(t.typed);
    return lockout
      .oneAtATime(key, () => inTurn(t, key))
      .catch((error: unknown) => {
        if (!isAppError(error) || error.code !== 'rate_limited') throw error;
        return refuse(t, { errorCode: 'ACCOUNT_LOCKED', reason: 'too many attempts at once' });
      });
  };

  const admitted = async (t: SignInAttempt): Promise<Entered> => {
    if (underWay >= maxUnderWay)
      throw unavailable('service_unavailable', 'Too many sign-ins at once', { retryAfterSeconds: 5 });
    underWay += 1;
    try {
      return await attempt(t);
    } finally {
      underWay -= 1;
    }
  };

  return {
    withPassword: async (username, password, client) => {
      const started = pace.start();
      const t: SignInAttempt = {
        typed: username.trim(),
        password,
        client,
        account: undefined,
        attempts: [],
        counts: true,
        work: [],
      };
      const entered = await admitted(t);
      if (entered.outcome === 'entered') return entered.issued;
      const state = ownerRefusal(entered.errorCode);
      if (state) throw state;
      await pace.refuse(started, t.work);
      throw signInRefused();
    },
  };
};
