import { DirectoryFailure } from '../wire/failures.ts';
import { ldapClaimKey } from '../dn/claim-key.ts';

/** A group with all its members, and its security identifier if the directory has one. */
export type GroupMembers = {
  readonly dn: string;
  /** Names of entries. */
  readonly members: readonly string[];
  /** Login names, as POSIX groups list them. */
  readonly logins: readonly string[];
  readonly sid: string | null;
};

/** Finds the wanted groups that contain a person directly or indirectly. */
export type Reach = {
  /** By the name of a group. */
  readonly fromGroup: (dn: string) => readonly string[];
  /** By the identifier of a primary group. */
  readonly fromSid: (sid: string) => readonly string[];
  /** By the person's DN and login, when groups list their members and persons do not list their groups. */
  readonly fromMember: (dn: string, login: string) => readonly string[];
};

type Building = {
  readonly wanted: readonly string[];
  readonly nested: boolean;
  /** Whether members are looked up by their own names, too. */
  readonly byMember: boolean;
};

const none: readonly string[] = [];

/**
 * Inverts group memberships: from a person to the wanted ancestor groups. Only groups with a wanted ancestor are kept, so
 * that the cost depends on the wanted groups and not on the size of the directory.
 */
export function createReach({ wanted, nested, byMember }: Building) {
  const names = new Map(wanted.map((dn) => [ldapClaimKey(dn), dn]));
  const groups = new Map<string, GroupMembers>();
  /** All groups; only groups are searched among the members. */
  const expected = new Map<string, string>();
  return {
    /** Names of all expected groups; when they are set, other members are dropped. */
    expect: (dns: readonly string[]): void => {
      for (const dn of dns) expected.set(ldapClaimKey(dn), dn);
    },
    /** @throws DirectoryFailure for a group that was not in the names, because it may be a dropped member. */
    add: (group: GroupMembers): void => {
      const key = ldapClaimKey(group.dn);
      if (expected.size === 0) {
        groups.set(key, group);
        return;
      }
      if (!expected.has(key)) throw new DirectoryFailure('busy', 'Groups were made while they were read');
      groups.set(key, { ...group, members: group.members.filter((dn) => expected.has(ldapClaimKey(dn))), logins: [] });
    },
    /** The wanted or named groups that were not added. */
    unseen: (): string[] => [...names, ...expected].flatMap(([key, dn]) => (groups.has(key) ? [] : [dn])),
    done: (): Reach => {
      const targets = targetsOf(names, nested ? childrenOf(groups) : new Map());
      const byName = byMember ? targetsByMember(groups, targets) : new Map<string, Set<string>>();
      const bySid = new Map<string, readonly string[]>();
      for (const [key, { sid }] of groups) {
        const reached = targets.get(key);
        if (sid !== null && reached !== undefined) bySid.set(sid, reached);
      }
      groups.clear();
      return {
        fromGroup: (dn) => targets.get(ldapClaimKey(dn)) ?? none,
        fromSid: (sid) => bySid.get(sid) ?? none,
        fromMember: (dn, login) => [
          ...new Set([...(byName.get(ldapClaimKey(dn)) ?? none), ...(byName.get(loginKey(login)) ?? none)]),
        ],
      };
    },
  };
}

/** The groups among the members of each group. */
function childrenOf(groups: ReadonlyMap<string, GroupMembers>): Map<string, string[]> {
  const children = new Map<string, string[]>();
  for (const [key, { members }] of groups) {
    const inside = members.map(ldapClaimKey).filter((member) => groups.has(member));
    if (inside.length > 0) children.set(key, inside);
  }
  return children;
}

/** The wanted groups that each group is or leads to. */
function targetsOf(
  wanted: ReadonlyMap<string, string>,
  children: ReadonlyMap<string, readonly string[]>,
): Map<string, string[]> {
  const targets = new Map<string, string[]>();
  for (const [start, dn] of wanted) {
    const seen = new Set([start]);
    for (const key of seen) {
      const known = targets.get(key);
      if (known === undefined) targets.set(key, [dn]);
      else known.push(dn);
      for (const child of children.get(key) ?? none) seen.add(child);
    }
  }
  return targets;
}

/** The wanted groups of each member, by its name or login. */
function targetsByMember(groups: ReadonlyMap<string, GroupMembers>, targets: ReadonlyMap<string, readonly string[]>) {
  const byMember = new Map<string, Set<string>>();
  for (const [key, { members, logins }] of groups) {
    const reached = targets.get(key);
    if (reached === undefined) continue;
    for (const member of [...members.map(ldapClaimKey), ...logins.map(loginKey)]) {
      const known = byMember.get(member);
      if (known === undefined) byMember.set(member, new Set(reached));
      else for (const target of reached) known.add(target);
    }
  }
  return byMember;
}

// A login is compared exactly, like the server does (RFC 2307, memberUid); the prefix distinguishes it from DNs.
function loginKey(login: string): string {
  return `login:${login}`;
}
