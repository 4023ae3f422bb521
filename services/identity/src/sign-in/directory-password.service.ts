import type { Db, Tx } from '../database.ts';
import { wasNotQueried, type Answer, type CurrentDirectory, type Person } from '../directory/directory.ts';
import type { Settings } from '../live-settings.ts';
import { nameKey } from '../lockout/lockout.ts';
import type { Provisioning } from '../provisioning/provisioning.ts';
import type { Attempts, PasswordResult, SignInAttempt } from './attempts.service.ts';
import { assertionOf, faultOf, isOwner } from './sign-in.ts';
import { signInStore } from './sign-in.store.ts';

type Deps = {
  db: Db;
  settings: Settings<{ ldap_email_verified: boolean }>;
  directory: CurrentDirectory;
  provisioning: Provisioning;
  attempts: Attempts;
};
type FailedAnswer = Exclude<Answer<Person>, { outcome: 'yes' }>;

/** Sign-in with a password that the directory checks. */
export function createDirectoryPassword({ db, settings, directory, provisioning, attempts }: Deps) {
  const refuseAnswer = (attempt: SignInAttempt, answer: FailedAnswer): Promise<PasswordResult> => {
    const details = { method: 'ldap', reason: answer.message } as const;
    if (answer.outcome === 'unknown') {
      const counters = wasNotQueried(answer) ? 'release' : 'keep';
      return attempts.refuse(attempt, { errorCode: 'DIRECTORY_UNAVAILABLE', counters, ...details });
    }
    if (answer.reason !== 'not_admitted')
      return attempts.refuse(attempt, { errorCode: 'INVALID_CREDENTIALS', ...details });
    const counters = answer.person && isOwner(attempt.account, answer.person) ? 'clear' : 'keep';
    return attempts.refuse(attempt, { errorCode: 'NOT_ADMITTED', counters, ...details });
  };

  const signInPerson = async (attempt: SignInAttempt, person: Person): Promise<PasswordResult> => {
    const { account, client, reservations } = attempt;
    const isOwn = isOwner(account, person);
    const fault = faultOf(person);
    if (fault) return attempts.refuse(attempt, { ...fault, method: 'ldap', counters: isOwn ? 'clear' : 'keep' });
    // Only for the person's own account: otherwise a person with the address of another could reset that account's counter.
    const onVerified = async (tx: Tx, userId: string): Promise<void> => {
      if (!account || account.id === userId) await attempts.clear(attempt, tx);
    };
    const result = await provisioning
      .trySignIn(assertionOf(person, settings.current()), client, { account, reservations, onVerified })
      .catch((error: unknown) => {
        if (!isOwn) throw error;
        return attempts.clearOnSessionLimit(attempt, error);
      });
    return result.outcome === 'refused' ? { ...result, work: attempt.work } : result;
  };

  const check = async (previous: SignInAttempt): Promise<PasswordResult> => {
    const attempt: SignInAttempt = { ...previous, work: [...previous.work, 'directory'] };
    const answer = await directory.authenticate(attempt.typed, attempt.password);
    return answer.outcome === 'yes' ? signInPerson(attempt, answer.value) : refuseAnswer(attempt, answer);
  };

  /** Counts the attempt for every name of the person, so that all spellings share one limit. */
  const checkPerson = async (
    named: SignInAttempt,
    { login }: Person,
    keys: readonly string[],
  ): Promise<PasswordResult> => {
    const { isLocked, attempt } = await attempts.reserve(named, keys);
    if (isLocked) return attempts.refuse(attempt, { errorCode: 'ACCOUNT_LOCKED', method: 'ldap', reason: login });
    return check(attempt);
  };

  return {
    check,

    /** For a name that no account has: the directory entry decides which counter a wrong password increases. */
    checkUnknownName: async (previous: SignInAttempt): Promise<PasswordResult> => {
      const attempt: SignInAttempt = { ...previous, work: [...previous.work, 'directory'] };
      const found = await directory.lookUp(attempt.typed);
      if (found.outcome !== 'yes') return refuseAnswer(attempt, found);
      const person = found.value;
      const account = await signInStore.findByPerson(db, person);
      if (account) {
        const named: SignInAttempt = { ...attempt, stage: 'found', account };
        return attempts.runExclusively(named, account.id, () => checkPerson(named, person, [account.id]));
      }
      const names = [person.login, ...(person.email === null ? [] : [person.email])].map(nameKey);
      const others = [...new Set(names)].filter((key) => key !== nameKey(attempt.typed));
      return checkPerson(attempt, person, others.sort());
    },
  };
}
