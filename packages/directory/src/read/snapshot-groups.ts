import { ldapClaimKey } from '../dn/claim-key.ts';
import { anyOf, present } from '../filter/filter.ts';
import { bytesOf, eachValue, type Entry } from '../wire/entry.ts';
import { DirectoryFailure, failureOf, resultCodes } from '../wire/failures.ts';
import { anyEntryHas } from './kept-attribute.ts';
import { allValues, isSliced } from './ranges.ts';
import { treeOf } from './root-dse.ts';
import { searchSnapshot, type SnapshotSearch } from './snapshot-search.ts';

/** A group with all its members, and its security identifier if the directory has one. */
type GroupMembers = {
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

const maxGroups = 200_000;
const memberAttributes = ['member', 'uniqueMember', 'memberUid'];

/** Whether user entries list their groups; if no entry does, the groups are searched by member. */
export async function isAttributeUsed({ connection, config, root, deadline }: SnapshotSearch): Promise<boolean> {
  return await anyEntryHas({
    connection,
    root,
    base: treeOf(config.searchBase, root.namingContexts),
    attribute: config.groupAttr,
    deadline,
  });
}

/** Reads the required groups: the wanted ones, or all when nested groups are enabled. */
export async function readReach(search: SnapshotSearch, wanted: readonly string[], listed: boolean): Promise<Reach> {
  const { config, root } = search;
  const reachBuilder = createReach({ wanted, nested: config.recursiveGroups, byMember: !listed });
  const needsGroups = wanted.length > 0 && (config.recursiveGroups || !listed || root.activeDirectory);
  if (!needsGroups) {
    for (const dn of wanted) reachBuilder.add({ dn, members: [], logins: [], sid: null });
    return reachBuilder.done();
  }
  const attributes = [...memberAttributes, 'objectSid'];
  const everyGroup = (asked: string[]) =>
    searchSnapshot(search, {
      base: treeOf(config.searchBase, root.namingContexts),
      scope: 'sub',
      filter: anyOf(memberAttributes.map(present)),
      attributes: asked,
      maxEntries: maxGroups,
    });
  // The names are read first, so that of the members only groups are stored.
  if (config.recursiveGroups && listed)
    for await (const page of everyGroup(['1.1'])) reachBuilder.expect(page.map((entry) => entry.dn));
  const ask = config.recursiveGroups ? everyGroup(attributes) : eachOf(search, wanted, attributes);
  for await (const page of ask) for (const entry of page) reachBuilder.add(await membersOf(search, entry));
  for (const dn of reachBuilder.unseen()) await requireEmptyGroup(search, dn);
  return reachBuilder.done();
}

/** A group that is missing from the list would be removed from all of its members, so its absence is verified. */
async function requireEmptyGroup({ connection, deadline }: SnapshotSearch, base: string): Promise<void> {
  const filter = anyOf(memberAttributes.map(present));
  const question = { base, scope: 'base', filter, attributes: ['1.1'], maxEntries: 1 } as const;
  const { code, diagnostic, entries } = await connection.search(question, deadline);
  if (code === resultCodes.noSuchObject) return;
  if (code !== resultCodes.success) throw failureOf(code, diagnostic);
  if (entries.length > 0)
    throw new DirectoryFailure('protocol', `The group ${base} has members, and was not among the groups`);
}

async function* eachOf({ connection, deadline }: SnapshotSearch, dns: readonly string[], attributes: string[]) {
  for (const base of dns) {
    const question = { base, scope: 'base', filter: present('objectClass'), attributes, maxEntries: 1 } as const;
    const { code, diagnostic, entries } = await connection.search(question, deadline);
    // A mapping may name a deleted group, which has no members. A group that exists but is not readable is an error.
    if (code === resultCodes.noSuchObject) continue;
    if (code !== resultCodes.success) throw failureOf(code, diagnostic);
    if (entries.length !== 1) throw new DirectoryFailure('refused', `The group ${base} is there and not shown`);
    yield entries;
  }
}

async function membersOf({ connection, deadline }: SnapshotSearch, entry: Entry) {
  const values = async (attribute: string): Promise<string[]> => {
    if (isSliced(entry, attribute))
      return (await allValues(connection, entry, { attribute, deadline })).map((value) => value.toString('utf8'));
    const texts: string[] = [];
    eachValue(entry, attribute, (bytes, start, end) => void texts.push(bytes.toString('utf8', start, end)));
    return texts;
  };
  return {
    dn: entry.dn,
    members: [...(await values('member')), ...(await values('uniqueMember'))],
    logins: await values('memberUid'),
    sid: bytesOf(entry, 'objectSid')[0]?.toString('hex') ?? null,
  };
}

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
