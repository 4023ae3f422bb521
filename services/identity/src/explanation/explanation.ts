import type { AnswerOf, explanationRoutes } from '@overtone/contracts';
import type { Answer, DirectoryConfig, Explained, Person } from '@overtone/directory';
import type { AuditErrorCode } from '../audit/audit.ts';

export type Explanation = AnswerOf<typeof explanationRoutes.explainSignIn>;
export type Verdict = Pick<Explanation, 'verdict' | 'reason'>;

/** What is kept of an account, as far as it decides. */
export type Kept = {
  authType: string;
  role: string;
  isActive: boolean;
  approvalStatus: string;
  disabledBy: string | null;
  accountExpiresAt: Date | null;
};
type Facts = {
  account: Kept | null;
  /** Null: sign-in with the directory is switched off, and it was not asked. */
  answer: Answer<Explained> | null;
  /** Why the account that was found is not this person's; null: it is, or there is none. */
  conflict: string | null;
  /** The role after the next sign-in. */
  role: string;
  /** Whether new accounts wait for approval. */
  newcomersWait: boolean;
  now: Date;
};

const stateWords: Record<NonNullable<Person['state']['reason']>, string> = {
  disabled: 'The account is disabled in the directory.',
  expired: 'The account has expired in the directory.',
  locked: 'The account is locked in the directory.',
  password_expired: 'The password has expired in the directory.',
  must_change_password: 'The directory wants a new password first.',
};

const refused = (reason: string): Verdict => ({ verdict: 'refused', reason });

/** The verdict by the local account alone, before the directory is queried. */
const byAccount = ({ account, now }: Facts): Verdict | null => {
  if (!account) return null;
  if (!account.isActive)
    return {
      verdict: 'disabled',
      reason:
        account.disabledBy === 'directory'
          ? 'The sweep of the directory disabled the account.'
          : 'An administrator disabled the account.',
    };
  if (account.approvalStatus === 'rejected') return refused('The account was rejected.');
  if (account.approvalStatus === 'pending') return refused('The account waits for approval.');
  if (account.accountExpiresAt && account.accountExpiresAt <= now)
    return refused('The end date of the account is past.');
  return null;
};

const letIn = (role: string, reason: string): Verdict =>
  role === 'user' ? { verdict: 'admitted', reason } : { verdict: 'admin', reason };

/** Without the directory's word an account of another kind still has its own way in. */
const withoutPerson = ({ account }: Facts, reason: string): Verdict =>
  account && account.authType !== 'ldap'
    ? letIn(account.role, `The account signs in by: ${account.authType}. ${reason}`)
    : refused(reason);

/** What the directory says, in the order in which a sign-in goes by it. */
const byPerson = (facts: Facts, person: Person): Verdict => {
  const { reason } = person.state;
  if (reason !== null) return refused(stateWords[reason]);
  if (person.email === null) return refused('The entry has no usable e-mail address.');
  if (person.admitted === 'no') return refused('They are in none of the required groups.');
  if (person.admitted === 'unknown')
    return { verdict: 'unknown', reason: 'Their groups cannot be read; sign-ins are refused meanwhile.' };
  if (facts.conflict) return refused(facts.conflict);
  if (!facts.account && facts.newcomersWait)
    return refused('Their first sign-in makes an account, which then waits for approval.');
  const first = facts.account ? '' : ' Their first sign-in makes an account.';
  return letIn(facts.role, `The directory admits them.${first}`);
};

/** The result of a sign-in now with the right password. */
export const judge = (facts: Facts): Verdict => {
  const kept = byAccount(facts);
  if (kept) return kept;
  const { answer } = facts;
  if (!answer) return withoutPerson(facts, 'Sign-in with the directory is switched off.');
  if (answer.outcome === 'unknown')
    return { verdict: 'unknown', reason: `The directory cannot be asked: ${answer.message}` };
  if (answer.outcome === 'yes') return byPerson(facts, answer.value.person);
  return withoutPerson(
    facts,
    answer.reason === 'ambiguous' ? 'Several entries match this login.' : 'The directory has nobody of this login.',
  );
};

const pathWords = (person: Person, paths: readonly (readonly string[])[]): string | null =>
  paths.length === 0 ? null : paths.map((path) => [person.login, ...path].join(' → ')).join('; ');

/** What the directory's part of the answer rests on. */
export const evidenceOf = (
  { person, attributes, paths }: Explained,
  { adminUsers }: Pick<DirectoryConfig, 'adminUsers'>,
): Record<string, string> => {
  const named = adminUsers.split(/[,;\n]/).some((n) => n.trim().toLowerCase() === person.login.toLowerCase());
  return {
    dn: person.dn,
    ...(person.immutableId === null ? {} : { directory_id: person.immutableId }),
    ...attributes,
    groups: person.groups.known
      ? (pathWords(person, paths) ?? 'none that count')
      : `not known: ${person.groups.reason}`,
    ...(named ? { named_administrator: person.login } : {}),
  };
};

/** Why a sign-in was refused, in words. */
const words: Record<AuditErrorCode, string> = {
  INVALID_CREDENTIALS: 'The name or the password was wrong.',
  ACCOUNT_LOCKED: 'The account was locked after too many wrong passwords.',
  INACTIVE_USER: 'The account is disabled.',
  INSECURE_ORIGIN: 'The page was not loaded over an encrypted connection.',
  REFRESH_REUSED: 'A session was used twice and ended.',
  EMAIL_TAKEN: 'The address belongs to another account.',
  NOT_ADMITTED: 'The directory does not admit them.',
  AMBIGUOUS_NAME: 'The name means more than one account.',
  METHOD_OFF: 'The way in of this account is switched off.',
  DIRECTORY_UNAVAILABLE: 'The directory could not be asked.',
  ACCOUNT_LINK_REFUSED: 'Another account has the same address and may not be linked.',
  IDENTITY_CONFLICT: 'The name belongs to another entry of the directory now.',
  INVALID_EMAIL: 'There was no usable e-mail address.',
  INVALID_IDENTITY: 'The name cannot be kept.',
  ACCOUNT_PENDING_APPROVAL: 'The account waits for approval.',
  ACCOUNT_REJECTED: 'The account was rejected.',
  INVALID_STATE: 'The sign-in at the identity provider was begun elsewhere or too long ago.',
  PROVIDER_ERROR: 'The identity provider answered with an error.',
  PROVIDER_UNAVAILABLE: 'The identity provider could not be asked.',
  TOKEN_EXCHANGE_FAILED: 'The identity provider did not take the code of the sign-in.',
  INVALID_TOKEN: 'The identity provider sent a token that does not hold.',
  UNTRUSTED_PROXY: 'The headers came from a proxy that is not trusted.',
  INVALID_HEADER: 'The headers of the proxy cannot be read.',
  INVALID_PROXY_SECRET: 'The proxy did not prove itself.',
  INVALID_CERTIFICATE: 'The certificate does not hold.',
};
/** Of records of another release, too. */
export const wordsFor = (code: string): string =>
  Object.entries(words).find(([known]) => known === code)?.[1] ?? code.replaceAll('_', ' ').toLowerCase();
