import type { LeaveReason, Role } from '@overtone/contracts';
import { reconcileAccount, type Claims, type MappingIndex, type Tristate } from '@overtone/directory';

/** A person as the directory shows them. */
export type Person = {
  /** Immutable id, e.g. `entryUUID:...`; null: this directory has none. */
  id: string | null;
  login: string;
  /** Disabled or expired there; a lock or an old password is neither. */
  disabled: Tristate;
  /** In one of the required groups, or none are required. */
  admitted: Tristate;
  /** The directory's own admin settings make them an administrator. */
  admin: Tristate;
  /** Names of their groups, of those that a mapping names. */
  claims: Claims;
  /** Disabled by an end date that came after anything vouches for the clock. */
  doubtful?: true;
  evidence: Readonly<Record<string, string>>;
};

/** A directory account as identity keeps it. */
export type Account = {
  userId: string;
  email: string;
  login: string | null;
  directoryId: string | null;
  authType: string;
  role: Role;
  active: boolean;
  /** Who disabled it; only the directory's own doing is reported when the person is back. */
  disabledBy: 'administrator' | 'directory' | null;
  /** Groups the directory put it into, and those where a person did. */
  fromDirectory: readonly string[];
  byHand: readonly string[];
};

/** A look-up in a snapshot that has been proved complete. */
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
/** What is kept of an account that changes: of a large company's first pass, everybody does. */
export type Changed = Pick<Account, 'userId' | 'email' | 'login' | 'role' | 'directoryId'>;
export type Change = {
  account: Changed;
  role: 'user' | 'admin' | null;
  add: readonly string[];
  remove: readonly string[];
  /** The immutable id of an account that had none. */
  adopt: string | null;
  /** What it rests on: the groups of the directory that mappings and settings name; null where they are not known. */
  groups?: readonly string[] | null;
};
export type Decision =
  | { kind: 'untouched' }
  | { kind: 'leaver'; leaver: Leaver }
  | { kind: 'present'; change: Change | null }
  | { kind: 'returned' }
  /** Something this decision needs cannot be read: the pass as a whole says nothing about anybody. */
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
/** The person behind an account: by the immutable id once there is one, and then by nothing else. */
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

/** Which groups of the directory an account is to get and to lose; a person's own choice stays as it is. */
const movesOf = (account: Account, groupIds: readonly string[] | null): Pick<Change, 'add' | 'remove'> => {
  const { fromDirectory, byHand } = account;
  const same = groupIds?.length === fromDirectory.length && groupIds.every((g, i) => g === fromDirectory[i]);
  if (groupIds === null || (same && byHand.length === 0)) return noMoves;
  const wanted = new Set(groupIds);
  const has = new Set([...fromDirectory, ...byHand]);
  return {
    add: [...wanted].filter((g) => !has.has(g)).sort(),
    remove: fromDirectory.filter((g) => !wanted.has(g)).sort(),
  };
};
const noMoves = { add: [], remove: [] };

const changeOf = (account: Account, person: Person, rules: Rules): Change | null => {
  const { role } = account;
  const standing = { role, authType: 'ldap' } as const;
  const asserted = { claims: person.claims, legacyAdmin: person.admin, by: 'sweep' } as const;
  const next = reconcileAccount(rules.mappings, standing, asserted);
  const { userId, email, login, directoryId } = account;
  const change: Change = {
    account: { userId, email, login, role, directoryId },
    role: next.role === role || next.role === 'super_admin' ? null : next.role,
    ...movesOf(account, next.groupIds),
    adopt: directoryId === null ? person.id : null,
    groups: person.claims.known ? person.claims.values : null,
  };
  const nothing =
    change.role === null && change.adopt === null && change.add.length === 0 && change.remove.length === 0;
  return nothing ? null : change;
};

/** What a pass decides about one account. Pure: the dry run and the real one ask this. */
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

/** Groups in words, as evidence tells of them. */
export const groupWords = (groups: readonly string[] | null): string =>
  groups === null ? 'not known' : groups.length === 0 ? 'none that count' : groups.join('; ');
