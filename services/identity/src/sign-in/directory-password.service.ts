import type { Db, Tx } from '../database.ts';
import { wasNotQueried, type Answer, type CurrentDirectory, type Person } from '../directory/directory.ts';
import type { Settings } from '../live-settings.ts';
import { nameKey, type LockoutKey } from '../lockout/lockout.ts';
import type { Provisioning } from '../provisioning/provisioning.ts';
import type { RestoredDatabase } from './restored-database.ts';
import type { Attempts } from './attempts.service.ts';
import {
  addWork,
  assertionOf,
  faultOf,
  isOwner,
  type PasswordResult,
  type Refusal,
  type SignInAttempt,
} from './sign-in.ts';
import { signInStore } from './sign-in.store.ts';

type Deps = {
  db: Db;
  settings: Settings<{ ldap_email_verified: boolean }>;
  directory: CurrentDirectory;
  provisioning: Provisioning;
  attempts: Attempts;
  restored: RestoredDatabase;
};

const checkPending = {
  errorCode: 'DIRECTORY_CHECK_PENDING',
  reason: 'the database was restored, and no directory sync run has completed since',
} as const;

/** Sign-in with a password that the directory checks. */
export function createDirectoryPassword(deps: Deps) {
  const { db, directory, attempts } = deps;
  const signInPerson = createPersonSignIn(deps);

  const check = async (previous: SignInAttempt): Promise<PasswordResult> => {
    const attempt = addWork(previous, 'directory');
    const answer = await directory.authenticate(attempt.typed, attempt.password);
    if (answer.outcome !== 'yes') return attempts.refuse(attempt, refusalOf(answer, attempt));
    return signInPerson(attempt, answer.value);
  };

  /** Counts the attempt for every name of the person, so that all spellings share one limit. */
  const checkPerson = (attempt: SignInAttempt, { login }: Person, keys: LockoutKey[]): Promise<PasswordResult> =>
    attempts.reserve(attempt, { keys, method: 'ldap', reason: login }, check);

  return {
    check,

    /** For a name that no account has: the directory entry decides which counter a wrong password increases. */
    checkUnknownName: async (previous: SignInAttempt): Promise<PasswordResult> => {
      const attempt = addWork(previous, 'directory');
      const found = await directory.lookUp(attempt.typed);
      if (found.outcome !== 'yes') return attempts.refuse(attempt, refusalOf(found, attempt));
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

function refusalOf(answer: Exclude<Answer<Person>, { outcome: 'yes' }>, { account }: SignInAttempt): Refusal {
  const details = { method: 'ldap', reason: answer.message } as const;
  if (answer.outcome === 'unknown')
    return { errorCode: 'DIRECTORY_UNAVAILABLE', counters: wasNotQueried(answer) ? 'release' : 'keep', ...details };
  if (answer.reason !== 'not_admitted') return { errorCode: 'INVALID_CREDENTIALS', ...details };
  const isOwn = answer.person !== undefined && isOwner(account, answer.person);
  return { errorCode: 'NOT_ADMITTED', counters: isOwn ? 'clear' : 'keep', ...details };
}

/** Signs in a person whose password the directory has verified. */
function createPersonSignIn({ settings, provisioning, attempts, restored }: Deps) {
  return async (attempt: SignInAttempt, person: Person): Promise<PasswordResult> => {
    const { account, client, reservations } = attempt;
    const isOwn = isOwner(account, person);
    const fault = faultOf(person);
    const refusal = fault ?? ((await restored.awaitsDirectory()) ? checkPending : undefined);
    if (refusal) return attempts.refuse(attempt, { ...refusal, method: 'ldap', counters: isOwn ? 'clear' : 'keep' });
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
}
