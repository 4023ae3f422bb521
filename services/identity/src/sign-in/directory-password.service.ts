import type { Answer, CurrentDirectory, Person } from '../directory/directory.ts';
import { wasNotQueried } from '../directory/directory.ts';
import { nameKey, type Lockout } from '../lockout/lockout.ts';
import type { Db, Tx } from '../database.ts';
import type { SignInResult, Provisioning } from '../provisioning/provisioning.ts';
import type { Settings } from '../live-settings.ts';
import {
  clearFailures,
  clearFailuresOnSessionLimit,
  releaseReservations,
  type Refuse,
  type SignInAttempt,
} from './refusal.ts';
import { assertionOf, faultOf, isOwner } from './sign-in.ts';
import { signInStore } from './sign-in.store.ts';

type Deps = {
  db: Db;
  settings: Settings;
  lockout: Lockout;
  directory: CurrentDirectory;
  provisioning: Provisioning;
  refuse: Refuse;
};
type FailedAnswer = Exclude<Answer<Person>, { outcome: 'yes' }>;

/** Sign-in with a password that the directory checks. */
export function createDirectoryPassword({ db, settings, lockout, directory, provisioning, refuse }: Deps) {
  const refuseAnswer = async (attempt: SignInAttempt, answer: FailedAnswer): Promise<SignInResult> => {
    if (answer.outcome === 'unknown') {
      if (wasNotQueried(answer)) await releaseReservations(lockout, attempt);
      return refuse(attempt, { errorCode: 'DIRECTORY_UNAVAILABLE', method: 'ldap', reason: answer.message });
    }
    const errorCode = answer.reason === 'not_admitted' ? 'NOT_ADMITTED' : 'INVALID_CREDENTIALS';
    if (answer.reason === 'not_admitted' && answer.person && isOwner(attempt.account, answer.person))
      await clearFailures(lockout, attempt);
    return refuse(attempt, { errorCode, method: 'ldap', reason: answer.message });
  };

  const signInPerson = async (attempt: SignInAttempt, person: Person): Promise<SignInResult> => {
    // Only for the person's own account: otherwise a person with the address of another could reset that account's counter.
    const onVerified = async (tx: Tx, userId: string): Promise<void> => {
      if (!attempt.account || attempt.account.id === userId) await clearFailures(lockout, attempt, tx);
    };
    const verified = { account: attempt.account, reservations: attempt.reservations, onVerified };
    const fault = faultOf(person);
    if (fault) {
      if (isOwner(attempt.account, person)) await clearFailures(lockout, attempt);
      return refuse(attempt, { ...fault, method: 'ldap' });
    }
    return provisioning
      .trySignIn(assertionOf(person, settings.current()), attempt.client, verified)
      .catch((error: unknown) => {
        if (!isOwner(attempt.account, person)) throw error;
        return clearFailuresOnSessionLimit(lockout, attempt, error);
      });
  };

  const withPassword = async (attempt: SignInAttempt): Promise<SignInResult> => {
    attempt.work.push('directory');
    const answer = await directory.authenticate(attempt.typed, attempt.password);
    return answer.outcome === 'yes' ? signInPerson(attempt, answer.value) : refuseAnswer(attempt, answer);
  };

  /** Counts the attempt for every name of the person, so that all spellings share one limit. */
  const reserveAll = async (attempt: SignInAttempt, keys: readonly string[]): Promise<boolean> => {
    for (const key of keys) {
      const reservation = await lockout.reserve(key);
      if (!reservation) return false;
      attempt.reservations.push(reservation);
    }
    return true;
  };

  const checkPerson = async (
    attempt: SignInAttempt,
    person: Person,
    keys: readonly string[],
  ): Promise<SignInResult> => {
    if (await reserveAll(attempt, keys)) return withPassword(attempt);
    return refuse(attempt, { errorCode: 'ACCOUNT_LOCKED', method: 'ldap', reason: person.login });
  };

  return {
    withPassword,

    /** For a name that no account has: the directory entry decides which counter a wrong password increases. */
    withUnknownName: async (attempt: SignInAttempt): Promise<SignInResult> => {
      attempt.work.push('directory');
      const found = await directory.lookUp(attempt.typed);
      if (found.outcome !== 'yes') return refuseAnswer(attempt, found);
      const person = found.value;
      const account = await signInStore.findByPerson(db, person);
      if (account) {
        attempt.account = account;
        return lockout.runExclusively(account.id, () => checkPerson(attempt, person, [account.id]));
      }
      const names = [person.login, ...(person.email === null ? [] : [person.email])].map(nameKey);
      return checkPerson(attempt, person, [...new Set(names)].filter((key) => key !== nameKey(attempt.typed)).sort());
    },
  };
}
