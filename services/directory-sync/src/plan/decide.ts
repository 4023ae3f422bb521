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
  /** What disabled it; a returned person is reported only for `directory`. */
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

export type Leaver = {
  account: Account;
  reason: LeaveReason;
  evidence: Readonly<Record<string, string>>;
  doubtful?: true;
};
/** The part of an account that is kept for its change; in the first pass of a large company all accounts change. */
export type Changed = Pick<Account, 'userId' | 'email' | 'login' | 'role' | 'directoryId'>;
export type Change = {
  account: Changed;
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
  | { kind: 'leaver'; leaver: Leaver }
  | { kind: 'present'; change: Change | null }
  | { kind: 'returned' }
  /** Required data cannot be read: the whole pass makes no decision. */
  | { kind: 'ambiguous'; why: string };

export type Rules = { mappings: MappingIndex };

const untouched: Decision = { kind: 'untouched' };
const leaver = (
  account: Account,
  reason: LeaveReason,
  { evidence, person }: { evidence: Leaver['evidence']; person?: Person },
): Decision => ({
  kind: 'leaver',
  leaver: { account, reason, evidence, ...(person?.doubtful ? { doubtful: true } : {}) },
});

type Found = { person?: Person; evidence: Leaver['evidence'] };
/** The person of an account: by the immutable id if the account has one, otherwise by the login. */
export const personOf = (account: Account, people: Population): Found => {
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
};

/** The directory groups to add to and remove from an account; manual memberships stay unchanged. */
const groupChangesOf = (account: Account, groupIds: readonly string[] | null): Pick<Change, 'add' | 'remove'> => {
  const { fromDirectory, byHand } = account;
  const same = groupIds?.length === fromDirectory.length && groupIds.every((g, i) => g === fromDirectory[i]);
  if (groupIds === null || (same && byHand.length === 0)) return noGroupChanges;
  const wanted = new Set(groupIds);
  const has = new Set([...fromDirectory, ...byHand]);
  return {
    add: [...wanted].filter((g) => !has.has(g)).sort(),
    remove: fromDirectory.filter((g) => !wanted.has(g)).sort(),
  };
};
const noGroupChanges = { add: [], remove: [] };

const changeOf = (account: Account, person: Person, rules: Rules): Change | null => {
  const { role } = account;
  const current = { role, authType: 'ldap' } as const;
  const asserted = { claims: person.claims, legacyAdmin: person.admin, by: 'sweep' } as const;
  const next = reconcileAccount(rules.mappings, current, asserted);
  const { userId, email, login, directoryId } = account;
  const change: Change = {
    account: { userId, email, login, role, directoryId },
    role: next.role === role || next.role === 'super_admin' ? null : next.role,
    ...groupChangesOf(account, next.groupIds),
    adopt: directoryId === null ? person.id : null,
    groups: person.claims.known ? person.claims.values : null,
  };
  const nothing =
    change.role === null && change.adopt === null && change.add.length === 0 && change.remove.length === 0;
  return nothing ? null : change;
};

/** The decision of a pass about one account. Pure; used by dry runs and real runs. */
export const decide = (account: Account, people: Population, rules: Rules): Decision =>
  decideOn(account, personOf(account, people), rules);

export const decideOn = (account: Account, found: Found, rules: Rules): Decision => {
  if (account.authType !== 'ldap' || account.role === 'super_admin') return untouched;
  const { person } = found;
  if (!account.active) {
    const back = person?.disabled === 'no' && person.admitted === 'yes';
    return account.disabledBy === 'directory' && back ? { kind: 'returned' } : untouched;
  }
  if (!person) {
    if (account.login === null && account.directoryId === null) return untouched;
    return leaver(account, 'absent_from_directory', found);
  }
  if (person.disabled === 'unknown') return { kind: 'ambiguous', why: `the account state of ${person.login}` };
  if (person.disabled === 'yes') return leaver(account, 'disabled_in_directory', found);
  if (person.admitted === 'unknown') return { kind: 'ambiguous', why: `the groups of ${person.login}` };
  if (person.admitted === 'no') {
    const groups = groupWords(person.claims.known ? person.claims.values : null);
    return leaver(account, 'no_longer_in_required_groups', { evidence: { ...person.evidence, groups } });
  }
  return { kind: 'present', change: changeOf(account, person, rules) };
};

/** The groups as text for the evidence. */
export const groupWords = (groups: readonly string[] | null): string =>
  groups === null ? 'not known' : groups.length === 0 ? 'none that count' : groups.join('; ');
