import type { LeaveReason, Role } from '@overtone/contracts';
import { reconcileAccount, type Claims, type MappingIndex, type Tristate } from '@overtone/directory';

/** A person as read from the directory. */
export type Person = {
  /** Immutable id, e.g. `entryUUID:...`; null when this directory has none. */
  id: string | null;
  login: string;
  /** Disabled or expired in the directory; a lock or an expired password does not count. */
  disabled: Tristate;
  /** Member of a required group, or no group is required. */
  admitted: Tristate;
  /** Administrator by the directory's admin settings. */
  admin: Tristate;
  /** The person's groups that a mapping refers to. */
  claims: Claims;
  /** Disabled by an expiry date later than the last time at which the clock was verified. */
  doubtful?: true;
  evidence: Readonly<Record<string, string>>;
};

/** A directory account as stored by identity. */
export type Account = {
  userId: string;
  email: string;
  login: string | null;
  directoryId: string | null;
  authType: string;
  role: Role;
  active: boolean;
  /** Which party disabled the account; a returned person is reported only for `directory`. */
  disabledBy: 'administrator' | 'directory' | null;
  /** Group memberships from the directory, and those added manually. */
  fromDirectory: readonly string[];
  byHand: readonly string[];
};

/** Look-up in a snapshot that is proved complete. */
export type Population = {
  byId: (id: string) => Person | undefined;
  byLogin: (login: string) => Person | undefined;
};

/** An active account that a sync run finds to have left the directory. */
export type DeprovisioningCandidate = {
  account: Account;
  reason: LeaveReason;
  evidence: Readonly<Record<string, string>>;
  doubtful?: true;
};
/** The part of an account that is kept for its change; in the first sync run of a large company all accounts change. */
export type ChangedAccount = Pick<Account, 'userId' | 'email' | 'login' | 'role' | 'directoryId'>;
export type Change = {
  account: ChangedAccount;
  role: 'user' | 'admin' | null;
  add: readonly string[];
  remove: readonly string[];
  /** The immutable id to set on an account that had none. */
  adopt: string | null;
  /** The basis of the change: the directory groups that mappings and settings refer to; null when unknown. */
  groups?: readonly string[] | null;
};
export type Decision =
  | { kind: 'untouched' }
  | { kind: 'candidate'; candidate: DeprovisioningCandidate }
  | { kind: 'present'; change: Change | null }
  | { kind: 'returned' }
  /** Required data cannot be read: the whole sync run makes no decision. */
  | { kind: 'ambiguous'; unreadable: string };

export type Rules = { mappings: MappingIndex };

const untouched: Decision = { kind: 'untouched' };

type PersonMatch = { person?: Person; evidence: DeprovisioningCandidate['evidence'] };
/** Finds the person of an account: by the immutable id if the account has one, otherwise by the login. */
export function findPerson(account: Account, people: Population): PersonMatch {
  if (account.directoryId !== null) {
    const person = people.byId(account.directoryId);
    if (person) return { person, evidence: person.evidence };
    const namesake = account.login === null ? undefined : people.byLogin(account.login);
    return {
      evidence: {
        directory_id: account.directoryId,
        ...(namesake ? { login_now_belongs_to: namesake.id ?? namesake.login } : {}),
      },
    };
  }
  if (account.login === null) return { evidence: {} };
  const person = people.byLogin(account.login);
  return person ? { person, evidence: person.evidence } : { evidence: { ldap_uid: account.login } };
}

/** The directory groups to add to and remove from an account; manual memberships stay unchanged. */
function groupChangesOf(account: Account, groupIds: readonly string[] | null): Pick<Change, 'add' | 'remove'> {
  const { fromDirectory, byHand } = account;
  const isSame = groupIds?.length === fromDirectory.length && groupIds.every((id, i) => id === fromDirectory[i]);
  if (groupIds === null || (isSame && byHand.length === 0)) return noGroupChanges;
  const wanted = new Set(groupIds);
  const current = new Set([...fromDirectory, ...byHand]);
  return {
    add: [...wanted].filter((id) => !current.has(id)).sort(),
    remove: fromDirectory.filter((id) => !wanted.has(id)).sort(),
  };
}

const noGroupChanges = { add: [], remove: [] };

function changeOf(account: Account, person: Person, rules: Rules): Change | null {
  const { role } = account;
  const current = { role, authType: 'ldap' } as const;
  const asserted = { claims: person.claims, legacyAdmin: person.admin, by: 'sync' } as const;
  const next = reconcileAccount(rules.mappings, current, asserted);
  const { userId, email, login, directoryId } = account;
  const change: Change = {
    account: { userId, email, login, role, directoryId },
    role: next.role === role || next.role === 'super_admin' ? null : next.role,
    ...groupChangesOf(account, next.groupIds),
    adopt: directoryId === null ? person.id : null,
    groups: person.claims.known ? person.claims.values : null,
  };
  const isEmpty =
    change.role === null && change.adopt === null && change.add.length === 0 && change.remove.length === 0;
  return isEmpty ? null : change;
}

/** The decision of a sync run about one account. Pure; used by dry runs and real runs. */
export function decide(account: Account, people: Population, rules: Rules): Decision {
  return decideForPerson(account, findPerson(account, people), rules);
}

export function decideForPerson(account: Account, match: PersonMatch, rules: Rules): Decision {
  if (account.authType !== 'ldap' || account.role === 'super_admin') return untouched;
  const { person } = match;
  if (!account.active) {
    const isEligible = person?.disabled === 'no' && person.admitted === 'yes';
    return account.disabledBy === 'directory' && isEligible ? { kind: 'returned' } : untouched;
  }
  if (!person) {
    if (account.login === null && account.directoryId === null) return untouched;
    return deprovision(account, 'absent_from_directory', match);
  }
  if (person.disabled === 'unknown') return { kind: 'ambiguous', unreadable: `the account state of ${person.login}` };
  if (person.disabled === 'yes') return deprovision(account, 'disabled_in_directory', match);
  if (person.admitted === 'unknown') return { kind: 'ambiguous', unreadable: `the groups of ${person.login}` };
  if (person.admitted === 'no') {
    const groups = groupsAsText(person.claims.known ? person.claims.values : null);
    return deprovision(account, 'no_longer_in_required_groups', { evidence: { ...person.evidence, groups } });
  }
  return { kind: 'present', change: changeOf(account, person, rules) };
}

/** The groups as text for the evidence. */
export function groupsAsText(groups: readonly string[] | null): string {
  return groups === null ? 'unknown' : groups.length === 0 ? 'none with an effect' : groups.join('; ');
}

function deprovision(account: Account, reason: LeaveReason, { evidence, person }: PersonMatch): Decision {
  return {
    kind: 'candidate',
    candidate: { account, reason, evidence, ...(person?.doubtful ? { doubtful: true } : {}) },
  };
}
