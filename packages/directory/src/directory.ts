import { randomUUID } from 'node:crypto';
import { accountState } from './read/account-state.ts';
import { configFailure } from './config-faults.ts';
import { isEmptyPassword, type Bound } from './wire/connection.ts';
import { createConnections } from './wire/connections.ts';
import { deadlineIn, type Deadline } from './wire/deadline.ts';
import { diagnose } from './diagnose/diagnose.ts';
import { DirectoryFailure, failureOf, unknownAnswer } from './wire/failures.ts';
import { createFinder, isLogin, type Finding } from './read/find.ts';
import { createGroups, type Membership } from './read/groups.ts';
import { createHealth } from './wire/health.ts';
import type { Entry } from './wire/entry.ts';
import type { AccountState, Answer, Directory, DirectoryConfig, NoReason, Person } from './model.ts';
import { createPeople } from './read/person.ts';
import { Pool } from './wire/pool.ts';
import { parseServers } from './wire/servers.ts';

/** A directory by its configuration; it connects with the first request. */
export function createDirectory(
  config: DirectoryConfig,
  { now = () => new Date() }: { now?: () => Date } = {},
): Directory {
  const fault = configFailure(config);
  if (fault !== undefined) return unusable(config, fault);
  const connections = createConnections(config);
  const health = createHealth(parseServers(config));
  const service = new Pool(connections.openAsService, health);
  // Binds as persons use separate connections, because searches need the bind of the service account.
  const people = new Pool(connections.open, health);
  const ask = createQuestions(config, { service, people, now });
  const timed = (question: (deadline: Deadline) => Promise<Answer<Person>>) =>
    question(deadlineIn(config.timeoutSeconds * 1000)).catch(unknownAnswer);
  return {
    authenticate: async (login, password) => {
      if (isEmptyPassword(password)) return no('wrong_password');
      if (!isLogin(login)) return no('not_found');
      return await timed(async (deadline) => await ask.authenticate(login, password, deadline));
    },
    lookUp: async (login) =>
      isLogin(login) ? await timed(async (deadline) => await ask.lookUp(login, deadline)) : no('not_found'),
    diagnose: async () => await diagnose(config, now),
    close: async () => {
      service.close();
      people.close();
      return await Promise.resolve();
    },
  };
}

type Means = {
  readonly service: Pool;
  readonly people: Pool;
  readonly now: () => Date;
};

function createQuestions(config: DirectoryConfig, { service, people, now }: Means) {
  const find = createFinder(config);
  const groupsOf = createGroups(config);
  const { loginOf, read } = createPeople(config);

  const findOne = async (login: string, deadline: Deadline): Promise<Finding> =>
    await service.use(deadline, async (connection) => await find(connection, login, deadline));
  const membershipOf = async (entry: Entry, deadline: Deadline): Promise<Membership> => {
    const login = loginOf(entry);
    return await service.use(deadline, async (connection) => await groupsOf({ connection, entry, login, deadline }));
  };
  const bindAs = async (dn: string, password: string, deadline: Deadline): Promise<Verdict> =>
    verdictOf(
      // Not repeated on another connection: the directory may have counted a failed bind whose response was lost.
      await people.use(deadline, async (connection) => await connection.bind(dn, password, deadline), {
        repeatable: false,
      }),
    );
  // Unknown users cost one bind too, so that the response time does not reveal which users exist.
  const bindWithRandomPassword = async (deadline: Deadline): Promise<void> => {
    await bindAs(`cn=${randomUUID()},${config.searchBase}`, randomUUID(), deadline);
  };

  const lookUp = async (login: string, deadline: Deadline): Promise<Answer<Person>> => {
    const finding = await findOne(login, deadline);
    if (finding.outcome !== 'one') return notOne(finding.outcome);
    const membership = await membershipOf(finding.entry, deadline);
    return { outcome: 'yes', value: read(finding.entry, loginOf(finding.entry), membership, now()) };
  };

  const authenticate = async (login: string, password: string, deadline: Deadline): Promise<Answer<Person>> => {
    const finding = await findOne(login, deadline);
    if (finding.outcome !== 'one') {
      await bindWithRandomPassword(deadline);
      return notOne(finding.outcome);
    }
    const { entry } = finding;
    // A locked account is not bound again, because another bind could prolong the lock.
    const locked = accountState(entry, now()).reason === 'locked';
    const [verdict, membership] = await Promise.all([
      locked ? bindWithRandomPassword(deadline).then(() => lockedOut) : bindAs(entry.dn, password, deadline),
      membershipOf(entry, deadline),
    ]);
    if (verdict.outcome === 'unknown') throw verdict.failure;
    const person = read(entry, loginOf(entry), membership, now());
    return verdict.outcome === 'no' ? no(verdict.reason, person) : admit(person);
  };
  return { lookUp, authenticate };
}

/** The result of a bind as a person. */
type Verdict =
  | { readonly outcome: 'yes' }
  | { readonly outcome: 'no'; readonly reason: NoReason }
  | { readonly outcome: 'unknown'; readonly failure: DirectoryFailure };

// Active Directory's sub-codes of result 49: for the log only; the caller gets one generic error.
const activeDirectory: Readonly<Record<string, NoReason>> = {
  '530': 'account_disabled', // not at this hour
  '531': 'account_disabled', // not at this workstation
  '532': 'password_expired',
  '533': 'account_disabled',
  '701': 'account_expired',
  '773': 'password_expired', // must be changed first
  '775': 'account_locked',
};

const policyExpired = 0;
const policyLocked = 1;
const policyChangeAfterReset = 2;

/** Parses the response to a bind as a person: only an explicit rejection is a no. */
export function verdictOf({ code, diagnostic, policyError }: Bound): Verdict {
  if (code === 0) return policyError === policyChangeAfterReset ? rejected('password_expired') : { outcome: 'yes' };
  if (policyError === policyLocked) return rejected('account_locked');
  if (policyError === policyExpired) return rejected('password_expired');
  if (code === 49)
    return rejected(activeDirectory[/\bdata ([0-9a-f]{3}),/.exec(diagnostic)?.[1] ?? ''] ?? 'wrong_password');
  if (code === 48) return rejected('wrong_password'); // the entry has no password
  // 389 Directory Server and FreeIPA
  if (code === 19 && /retry limit/i.test(diagnostic)) return rejected('account_locked');
  if (code === 53 && /inactivated/i.test(diagnostic)) return rejected('account_disabled');
  return { outcome: 'unknown', failure: failureOf(code, diagnostic) };
}

function rejected(reason: NoReason): Verdict {
  return { outcome: 'no', reason };
}

const lockedOut: Verdict = { outcome: 'no', reason: 'account_locked' };

function notOne(outcome: 'none' | 'several'): Answer<Person> {
  return no(outcome === 'none' ? 'not_found' : 'ambiguous');
}

const refusals: Readonly<Record<NonNullable<AccountState['reason']>, NoReason>> = {
  disabled: 'account_disabled',
  expired: 'account_expired',
  locked: 'account_locked',
  password_expired: 'password_expired',
  must_change_password: 'password_expired',
};

/** The checks after a correct password. */
function admit(person: Person): Answer<Person> {
  const { reason } = person.state;
  if (reason !== null) return no(refusals[reason], person);
  if (person.email === null) return no('no_email', person);
  if (person.admitted === 'no') return no('not_admitted', person);
  if (person.admitted === 'yes') return { outcome: 'yes', value: person };
  const why = person.groups.known ? '' : `: ${person.groups.reason}`;
  return unknownAnswer(new DirectoryFailure('groups_unreadable', `The groups could not be read${why}`));
}

const messages: Readonly<Record<NoReason, string>> = {
  not_found: 'User not found in LDAP',
  ambiguous: 'Several LDAP entries match this login',
  wrong_password: 'Invalid LDAP credentials',
  no_email: 'User has no email attribute',
  not_admitted: 'User is in none of the required LDAP groups',
  account_disabled: 'The LDAP account is disabled',
  account_expired: 'The LDAP account has expired',
  account_locked: 'The LDAP account is locked',
  password_expired: 'The LDAP password has expired or must be changed',
};

function no(reason: NoReason, person?: Person): Answer<Person> {
  return { outcome: 'no', reason, message: messages[reason], ...(person === undefined ? {} : { person }) };
}

/** A directory with an invalid configuration: every operation fails without a connection. */
function unusable(config: DirectoryConfig, fault: DirectoryFailure): Directory {
  const answer = async () => await Promise.resolve(unknownAnswer(fault));
  return {
    authenticate: answer,
    lookUp: answer,
    diagnose: async () => await diagnose(config, () => new Date()),
    close: async () => await Promise.resolve(),
  };
}
