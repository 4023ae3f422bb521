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
  statusFaultOf,
  type SignInResult,
  type Provisioning,
} from '../provisioning/provisioning.ts';
import type { Issued, Sessions } from '../sessions/sessions.ts';
import type { Settings } from '../live-settings.ts';
import type { Telemetry } from '../telemetry.ts';
import { createDirectoryPassword } from './directory-password.service.ts';
import type { Pace } from './pace.ts';
import { createRefusal, clearFailures, clearFailuresOnSessionLimit, type SignInAttempt } from './refusal.ts';
import { isBlank, type SignInAccount } from './sign-in.ts';
import { signInStore } from './sign-in.store.ts';

export type SignInDeps = {
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

/** Lower than the queue limit of the password hashes: whether a sign-in is rejected as busy never depends on the name. */
const maxConcurrentSignIns = 180;

export function createSignIn(deps: SignInDeps): SignIn {
  const { db, pool, hasher, lockout, sessions, settings, pace } = deps;
  const refuse = createRefusal(deps);
  const directoryPassword = createDirectoryPassword({ ...deps, refuse });
  let running = 0;

  /** The usual case: the account does not change, and one failure counter was used. */
  const openIfUnchanged = async (attempt: SignInAttempt, user: SignInAccount): Promise<Issued | undefined> => {
    const reservation = onlyAttemptOn(attempt.reservations, user.id);
    if (!reservation) return undefined;
    return sessions.openSessionIfUnchanged({
      user,
      client: attempt.client,
      audit: localSignInRecordOf(user, attempt.client),
      forgives: { locks: reservation.locksAccount },
    });
  };

  const openInTransaction = (attempt: SignInAttempt, user: SignInAccount, hash: string): Promise<Issued | undefined> =>
    db
      .$transaction(async (tx) => {
        // Undefined when the password has changed since it was read.
        if (!(await signInStore.recordSignIn(tx, user.id, hash))) return undefined;
        await clearFailures(lockout, attempt, tx);
        const tokens = await sessions.open(tx, user, attempt.client);
        await writeAudit(tx, localSignInRecordOf(user, attempt.client));
        return tokens;
      }, txOptions)
      .catch((error: unknown) => clearFailuresOnSessionLimit(lockout, attempt, error));

  const openLocal = async (attempt: SignInAttempt, user: SignInAccount, hash: string): Promise<SignInResult> => {
    const errorCode = statusFaultOf(user);
    if (errorCode) {
      await clearFailures(lockout, attempt);
      return refuse(attempt, { errorCode, method: 'local' });
    }
    const issued = (await openIfUnchanged(attempt, user)) ?? (await openInTransaction(attempt, user, hash));
    if (!issued) return refuse(attempt, { errorCode: 'INVALID_CREDENTIALS', method: 'local' });
    return { outcome: 'signed_in', userId: user.id, issued };
  };

  /** The hash to check, for accounts that may sign in with a local password: always so for a super_admin. */
  const localHash = (user: SignInAccount): string | null => {
    const open = settings.current().local_enabled || user.role === 'super_admin';
    return open && mayUseLocalPassword(user) ? user.passwordHash : null;
  };

  const checkAccount = async (attempt: SignInAttempt, user: SignInAccount): Promise<SignInResult> => {
    const hash = localHash(user);
    if (hash !== null) {
      attempt.work.push('hash');
      if (await hasher.verify(hash, attempt.password)) return openLocal(attempt, user, hash);
    }
    if (settings.current().ldap_enabled) return directoryPassword.withPassword(attempt);
    if (hash !== null) return refuse(attempt, { errorCode: 'INVALID_CREDENTIALS', method: 'local' });
    attempt.work.push('hash');
    await hasher.pretend(attempt.password);
    return refuse(attempt, { errorCode: 'METHOD_OFF', reason: `the account signs in by: ${user.authType}` });
  };

  const withReservation = async (attempt: SignInAttempt, key: string): Promise<SignInResult> => {
    const reservation = await lockout.reserve(key);
    if (!reservation) return refuse(attempt, { errorCode: 'ACCOUNT_LOCKED' });
    attempt.reservations.push(reservation);
    return attempt.account ? checkAccount(attempt, attempt.account) : directoryPassword.withUnknownName(attempt);
  };

  const checkPassword = async (attempt: SignInAttempt): Promise<SignInResult> => {
    if (attempt.typed === '' || isBlank(attempt.password))
      return refuse(attempt, { errorCode: 'INVALID_CREDENTIALS', reason: 'empty' });
    const [account, another] = await signInStore.findByLoginName(pool, attempt.typed);
    if (another)
      return refuse(attempt, {
        errorCode: 'AMBIGUOUS_NAME',
        reason: 'it is the name of one and the address of another account',
      });
    attempt.account = account;
    if (!account && !settings.current().ldap_enabled) {
      attempt.work.push('hash');
      await hasher.pretend(attempt.password);
      return refuse(attempt, { errorCode: 'INVALID_CREDENTIALS' });
    }
    const key = account?.id ?? nameKey(attempt.typed);
    return lockout
      .runExclusively(key, () => withReservation(attempt, key))
      .catch((error: unknown) => {
        if (!isAppError(error) || error.code !== 'rate_limited') throw error;
        return refuse(attempt, { errorCode: 'ACCOUNT_LOCKED', reason: 'too many reservations at once' });
      });
  };

  const withinCapacity = async (attempt: SignInAttempt): Promise<SignInResult> => {
    if (running >= maxConcurrentSignIns)
      throw unavailable('service_unavailable', 'Too many sign-ins at once', { retryAfterSeconds: 5 });
    running += 1;
    try {
      return await checkPassword(attempt);
    } finally {
      running -= 1;
    }
  };

  return {
    withPassword: async (username, password, client) => {
      const started = pace.start();
      const attempt: SignInAttempt = {
        typed: username.trim(),
        password,
        client,
        account: undefined,
        reservations: [],
        counts: true,
        work: [],
      };
      const result = await withinCapacity(attempt);
      if (result.outcome === 'signed_in') return result.issued;
      const state = ownerRefusal(result.errorCode);
      if (state) throw state;
      await pace.refuse(started, attempt.work);
      throw signInRefused();
    },
  };
}

function localSignInRecordOf(user: SignInAccount, client: Client): AuditRecord {
  return {
    event: 'auth.login.success',
    outcome: 'success',
    userId: user.id,
    username: user.email,
    client,
    details: { method: 'local' },
  };
}
