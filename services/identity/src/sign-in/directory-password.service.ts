import type { Answer, CurrentDirectory, Person } from '../directory/directory.ts';
import { surelyNotAsked } from '../directory/directory.ts';
import { nameKey, type Lockout } from '../lockout/lockout.ts';
import type { Db, Tx } from '../database.ts';
import type { Entered, Provisioning } from '../provisioning/provisioning.ts';
import type { Settings } from '../settings/settings.ts';
import { forgive, forgiveCrowd, takeBack, type Refuse, type SignInAttempt } from './refusal.ts';
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
type Declined = Exclude<Answer<Person>, { outcome: 'yes' }>;

/** Sign-in with a password that the directory checks. */
export const createDirectoryPassword = ({ db, settings, lockout, directory, provisioning, refuse }: Deps) => {
  const decline = async (t: SignInAttempt, answer: Declined): Promise<Entered> => {
    if (answer.outcome === 'unknown') {
      if (surelyNotAsked(answer)) await takeBack(lockout, t);
      return refuse(t, { errorCode: 'DIRECTORY_UNAVAILABLE', method: 'ldap', reason: answer.message });
    }
    const errorCode = answer.reason === 'not_admitted' ? 'NOT_ADMITTED' : 'INVALID_CREDENTIALS';
    if (answer.reason === 'not_admitted' && answer.person && isOwner(t.account, answer.person))
      await forgive(lockout, t);
    return refuse(t, { errorCode, method: 'ldap', reason: answer.message });
  };

  const enter = async (t: SignInAttempt, person: Person): Promise<Entered> => {
    // Only on the person's own account: otherwise a person with another's address could reset the guesses at that one's password.
    const proved = async (tx: Tx, userId: string): Promise<void> => {
      if (!t.account || t.account.id === userId) await forgive(lockout, t, tx);
    };
    const proof = { account: t.account, attempts: t.attempts, proved };
    const fault = faultOf(person);
    if (fault) {
      if (isOwner(t.account, person)) await forgive(lockout, t);
      return refuse(t, { ...fault, method: 'ldap' });
    }
    return provisioning.enter(assertionOf(person, settings.current()), t.client, proof).catch((error: unknown) => {
      if (!isOwner(t.account, person)) throw error;
      return forgiveCrowd(lockout, t, error);
    });
  };

  const withPassword = async (t: SignInAttempt): Promise<Entered> => {
    t.work.push('directory');
    const answer = await directory.authenticate(t.typed, t.password);
    return answer.outcome === 'yes' ? enter(t, answer.value) : decline(t, answer);
  };

  /** Counts on everything this person can be called, so that no spelling has a budget of its own. */
  const countOn = async (t: SignInAttempt, keys: readonly string[]): Promise<boolean> => {
    for (const key of keys) {
      const attempt = await lockout.begin(key);
      if (!attempt) return false;
      t.attempts.push(attempt);
    }
    return true;
  };

  const asPerson = async (t: SignInAttempt, person: Person, keys: readonly string[]): Promise<Entered> => {
    if (await countOn(t, keys)) return withPassword(t);
    return refuse(t, { errorCode: 'ACCOUNT_LOCKED', method: 'ldap', reason: person.login });
  };

  return {
    withPassword,

    /** A name no account has: whom it means decides whose budget a wrong password is taken from. */
    withUnknownName: async (t: SignInAttempt): Promise<Entered> => {
      t.work.push('directory');
      const found = await directory.lookUp(t.typed);
      if (found.outcome !== 'yes') return decline(t, found);
      const person = found.value;
      const account = await signInStore.ofPerson(db, person);
      if (account) {
        t.account = account;
        return lockout.oneAtATime(account.id, () => asPerson(t, person, [account.id]));
      }
      const names = [person.login, ...(person.email === null ? [] : [person.email])].map(nameKey);
      return asPerson(t, person, [...new Set(names)].filter((key) => key !== nameKey(t.typed)).sort());
    },
  };
};
