import type { AnswerOf, explanationRoutes } from '@overtone/contracts';
import type { Answer, DirectoryConfig, Explained, Person } from '@overtone/directory';
import type { AuditErrorCode } from '../audit/audit.ts';

export type Explanation = AnswerOf<typeof explanationRoutes.explainSignIn>;
export type Verdict = Pick<Explanation, 'verdict' | 'reason'>;

/** The columns of an account that decide about a sign-in. */
export type AccountFacts = {
  authType: string;
  role: string;
  isActive: boolean;
  approvalStatus: string;
  disabledBy: string | null;
  accountExpiresAt: Date | null;
};
type Facts = {
  account: AccountFacts | null;
  /** Null: sign-in with the directory is switched off, so it was not queried. */
  answer: Answer<Explained> | null;
  /** Why the found account does not belong to this person; null: it does, or there is none. */
  conflict: string | null;
  /** The role after the next sign-in. */
  role: string;
  /** Whether new accounts wait for approval. */
  requiresApproval: boolean;
  now: Date;
};

const stateTexts: Record<NonNullable<Person['state']['reason']>, string> = {
  disabled: 'The account is disabled in the directory.',
  expired: 'The account has expired in the directory.',
  locked: 'The account is locked in the directory.',
  password_expired: 'The password has expired in the directory.',
  must_change_password: 'The directory wants a new password first.',
};

/** The result of a sign-in now with the right password. */
export function decideVerdict(facts: Facts): Verdict {
  const kept = byAccount(facts);
  if (kept) return kept;
  const { answer } = facts;
  if (!answer) return withoutPerson(facts, 'Sign-in with the directory is switched off.');
  if (answer.outcome === 'unknown')
    return { verdict: 'unknown', reason: `The directory cannot be queried: ${answer.message}` };
  if (answer.outcome === 'yes') return byPerson(facts, answer.value.person);
  return withoutPerson(
    facts,
    answer.reason === 'ambiguous' ? 'Several entries match this login.' : 'The directory has no entry for this login.',
  );
}

function pathText(person: Person, paths: readonly (readonly string[])[]): string | null {
  return paths.length === 0 ? null : paths.map((path) => [person.login, ...path].join(' → ')).join('; ');
}

/** The directory data that the explanation is based on. */
export function evidenceOf(
  { person, attributes, paths }: Explained,
  { adminUsers }: Pick<DirectoryConfig, 'adminUsers'>,
): Record<string, string> {
  const named = adminUsers.split(/[,;\n]/).some((line) => line.trim().toLowerCase() === person.login.toLowerCase());
  return {
    dn: person.dn,
    ...(person.immutableId === null ? {} : { directory_id: person.immutableId }),
    ...attributes,
    groups: person.groups.known
      ? (pathText(person, paths) ?? 'none that a mapping uses')
      : `not known: ${person.groups.reason}`,
    ...(named ? { named_administrator: person.login } : {}),
  };
}

/** Reasons of refused sign-ins for administrators. */
const refusalTexts: Record<AuditErrorCode, string> = {
  INVALID_CREDENTIALS: 'The name or the password was wrong.',
  ACCOUNT_LOCKED: 'The account was locked after too many wrong passwords.',
  INACTIVE_USER: 'The account is disabled.',
  INSECURE_ORIGIN: 'The page was not loaded over an encrypted connection.',
  REFRESH_REUSED: 'A session was used twice and ended.',
  EMAIL_TAKEN: 'The address belongs to another account.',
  INVITATION_INVALID: 'The invitation link was unknown, used, ended or withdrawn.',
  NOT_ADMITTED: 'The directory does not admit them.',
  AMBIGUOUS_NAME: 'The name belongs to more than one account.',
  METHOD_OFF: 'The sign-in method of this account is switched off.',
  DIRECTORY_UNAVAILABLE: 'The directory could not be queried.',
  DIRECTORY_CHECK_PENDING: 'The database was restored, and no directory sync run has completed since.',
  ACCOUNT_LINK_REFUSED: 'Another account has the same address and may not be linked.',
  IDENTITY_CONFLICT: 'The name belongs to another entry of the directory now.',
  INVALID_EMAIL: 'There was no usable e-mail address.',
  INVALID_IDENTITY: 'The name cannot be stored.',
  ACCOUNT_PENDING_APPROVAL: 'The account waits for approval.',
  ACCOUNT_REJECTED: 'The account was rejected.',
  INVALID_STATE: 'The sign-in at the identity provider was started in another browser or too long ago.',
  PROVIDER_ERROR: 'The identity provider answered with an error.',
  PROVIDER_UNAVAILABLE: 'The identity provider did not respond.',
  TOKEN_EXCHANGE_FAILED: 'The identity provider rejected the authorization code.',
  INVALID_TOKEN: 'The identity provider sent an invalid token.',
  UNTRUSTED_PROXY: 'The headers came from a proxy that is not trusted.',
  INVALID_HEADER: 'The headers of the proxy cannot be read.',
  INVALID_PROXY_SECRET: 'The proxy sent a wrong secret.',
  INVALID_CERTIFICATE: 'The certificate was not accepted.',
};
/** Also for codes of other releases. */
export function refusalTextOf(code: string): string {
  return Object.entries(refusalTexts).find(([known]) => known === code)?.[1] ?? code.replaceAll('_', ' ').toLowerCase();
}

/** The verdict by the local account alone, before the directory is queried. */
function byAccount({ account, now }: Facts): Verdict | null {
  if (!account) return null;
  if (!account.isActive)
    return {
      verdict: 'disabled',
      reason:
        account.disabledBy === 'directory'
          ? 'The directory sync disabled the account.'
          : 'An administrator disabled the account.',
    };
  if (account.approvalStatus === 'rejected') return refused('The account was rejected.');
  if (account.approvalStatus === 'pending') return refused('The account waits for approval.');
  if (account.accountExpiresAt && account.accountExpiresAt <= now)
    return refused('The end date of the account is past.');
  return null;
}

/** For a login that the directory does not know: accounts of other sources still sign in with their source. */
function withoutPerson({ account }: Facts, reason: string): Verdict {
  return account && account.authType !== 'ldap'
    ? admit(account.role, `The account signs in by: ${account.authType}. ${reason}`)
    : refused(reason);
}

/** The checks of a sign-in with the directory, in the same order. */
function byPerson(facts: Facts, person: Person): Verdict {
  const { reason } = person.state;
  if (reason !== null) return refused(stateTexts[reason]);
  if (person.email === null) return refused('The entry has no usable e-mail address.');
  if (person.admitted === 'no') return refused('They are in none of the required groups.');
  if (person.admitted === 'unknown')
    return { verdict: 'unknown', reason: 'Their groups cannot be read; sign-ins are refused until they can.' };
  if (facts.conflict) return refused(facts.conflict);
  if (!facts.account && facts.requiresApproval)
    return refused('Their first sign-in creates an account, which then waits for approval.');
  const first = facts.account ? '' : ' Their first sign-in creates an account.';
  return admit(facts.role, `The directory admits them.${first}`);
}

function refused(reason: string): Verdict {
  return { verdict: 'refused', reason };
}

function admit(role: string, reason: string): Verdict {
  return role === 'user' ? { verdict: 'admitted', reason } : { verdict: 'admin', reason };
}
