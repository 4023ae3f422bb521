import { textOf } from './attributes.ts';
import { searchOrFail, type Connection } from '../wire/connection.ts';
import type { Deadline } from '../wire/deadline.ts';
import { asFailure, DirectoryFailure } from '../wire/failures.ts';
import { allOf, anyOf, equal, present, type Filter } from '../filter/filter.ts';
import { closure, invertGroups, Names } from './group-graph.ts';
import { anyEntryHas } from './kept-attribute.ts';
import { bytesOf, type Entry } from '../wire/entry.ts';
import { searchAll } from './paged-search.ts';
import { allValues } from './ranges.ts';
import { readRootDse, treeOf, type RootDse } from './root-dse.ts';

/** The groups of a person that could be read. */
export type Membership = {
  readonly groups: readonly string[];
  /** The reason why the list may be incomplete. */
  readonly missing: string | null;
};

/** The required attributes in addition to the group attribute. */
export const groupAttributes: readonly string[] = ['primaryGroupID', 'objectSid'];

/** The state of one group query. */
type Reading = {
  readonly connection: Connection;
  readonly entry: Entry;
  readonly login: string;
  readonly deadline: Deadline;
};

/** The data that is the same for all persons. */
type Facts = {
  readonly root: RootDse;
  readonly tree: string;
};

const factsMs = 10 * 60_000;
const batchSize = 50;
const page = 500;
const maxGroups = 200_000;
// Above this number of queries all groups are read and nesting is resolved in memory.
const maxLevels = 8;
const maxFrontier = 500;

/** Finds the groups of persons, with the cheapest method for each directory. */
export function createGroups(config: { searchBase: string; groupAttr: string; recursiveGroups: boolean }) {
  const factsOnce = remembered(factsMs, async ({ connection, deadline }: Reading): Promise<Facts> => {
    const root = await readRootDse(connection, deadline);
    return { root, tree: treeOf(config.searchBase, root.namingContexts) };
  });
  const keptOnce = remembered(factsMs, async (reading: Reading): Promise<boolean> => {
    const { root, tree } = await factsOnce(reading);
    const { connection, deadline } = reading;
    return await anyEntryHas({ connection, root, base: tree, attribute: config.groupAttr, deadline });
  });

  const direct = async (reading: Reading): Promise<string[]> => {
    const { connection, entry, deadline } = reading;
    const values = await allValues(connection, entry, { attribute: config.groupAttr, deadline });
    if (values.length > 0) return values.map((value) => asText(value, config.groupAttr));
    if (await keptOnce(reading)) return [];
    return await groupsWith(reading, await factsOnce(reading), [
      ...memberFilters(entry.dn),
      listedBy('posixGroup', 'memberUid', reading.login),
    ]);
  };

  const above = async (reading: Reading, names: Names): Promise<void> => {
    const facts = await factsOnce(reading);
    const unseen = facts.root.activeDirectory ? await fromTokens(reading, facts, names) : [...names];
    await walk(reading, { facts, names, start: unseen });
  };

  return async (reading: Reading): Promise<Membership> => {
    const names = new Names();
    try {
      for (const name of await direct(reading)) names.add(name);
      const primary = primarySid(reading.entry);
      if (primary !== undefined) names.add(await groupOfSid(reading, await factsOnce(reading), primary));
      if (config.recursiveGroups) await above(reading, names);
      return { groups: [...names], missing: null };
    } catch (error) {
      return { groups: [...names], missing: asFailure(error).message };
    }
  };
}

/** Caches a result for some time; failures are not cached. */
function remembered<A, T>(ms: number, ask: (argument: A) => Promise<T>): (argument: A) => Promise<T> {
  let known: { value: T; until: number } | undefined;
  return async (argument) => {
    if (known !== undefined && performance.now() < known.until) return known.value;
    const value = await ask(argument);
    known = { value, until: performance.now() + ms };
    return value;
  };
}

// Only `member` and the object class are indexed everywhere; the class prevents a search of all entries.
function listedBy(objectClass: string, attribute: string, value: string): Filter {
  return allOf([equal('objectClass', objectClass), equal(attribute, value)]);
}

function memberFilters(dn: string): Filter[] {
  return [equal('member', dn), listedBy('groupOfUniqueNames', 'uniqueMember', dn)];
}

type Line = Pick<Reading, 'connection' | 'deadline'>;

async function groupsWith({ connection, deadline }: Line, { root, tree }: Facts, members: Filter[]) {
  const question = {
    base: tree,
    scope: 'sub',
    filter: anyOf(members),
    attributes: ['1.1'],
    pages: root.pages,
    pageSize: page,
    maxEntries: maxGroups,
  } as const;
  return (await searchAll(connection, question, deadline)).map(({ dn }) => dn);
}

/** The direct parent groups of a group. */
export async function groupsHolding(line: Line, facts: Facts, group: string): Promise<string[]> {
  return await groupsWith(line, facts, memberFilters(group));
}

/** Resolves parent groups level by level. */
async function walk(
  reading: Reading,
  { facts, names, start }: { facts: Facts; names: Names; start: string[] },
): Promise<void> {
  let frontier = start;
  for (let level = 0; frontier.length > 0; level += 1) {
    if (level >= maxLevels || frontier.length > maxFrontier) return await takeWholeGraph(reading, facts, names);
    const found: string[] = [];
    for (const batch of batches(frontier)) {
      for (const dn of await groupsWith(reading, facts, batch.flatMap(memberFilters)))
        if (names.add(dn)) found.push(dn);
    }
    frontier = found;
  }
}

async function takeWholeGraph(reading: Reading, { root, tree }: Facts, names: Names): Promise<void> {
  const { connection, deadline } = reading;
  const question = {
    base: tree,
    scope: 'sub',
    filter: anyOf([present('member'), present('uniqueMember')]),
    attributes: ['member', 'uniqueMember'],
    pages: root.pages,
    pageSize: page,
    maxEntries: maxGroups,
  } as const;
  const groups = [];
  for (const entry of await searchAll(connection, question, deadline)) {
    const members: string[] = [];
    for (const attribute of ['member', 'uniqueMember']) {
      for (const value of await allValues(connection, entry, { attribute, deadline })) members.push(value.toString());
    }
    groups.push({ dn: entry.dn, members });
  }
  for (const dn of closure(invertGroups(groups), [...names])) names.add(dn);
}

/**
 * Active Directory computes the security groups of an account. Distribution groups are not included: returns the groups
 * from which the resolution must continue to find them.
 */
async function fromTokens(reading: Reading, facts: Facts, names: Names): Promise<string[]> {
  const sids = await tokenGroups(reading);
  const parents = new Names(names);
  const counted = new Names();
  for (const batch of batches(sids)) {
    const filter = anyOf(batch.map((sid) => equal('objectSid', sid)));
    for (const entry of await securityGroups(reading, { base: facts.tree, filter })) {
      counted.add(entry.dn);
      const above = await allValues(reading.connection, entry, { attribute: 'memberOf', deadline: reading.deadline });
      for (const value of above) parents.add(asText(value, 'memberOf'));
    }
  }
  const uncounted = [...parents].filter((dn) => !counted.has(dn));
  for (const dn of [...counted, ...uncounted]) names.add(dn);
  return uncounted;
}

async function securityGroups({ connection, deadline }: Reading, { base, filter }: { base: string; filter: Filter }) {
  const question = { base, scope: 'sub', filter, attributes: ['memberOf'], maxEntries: 2 * batchSize } as const;
  const found = await searchOrFail(connection, question, deadline);
  return found.entries;
}

async function tokenGroups({ connection, entry, deadline }: Reading): Promise<readonly Buffer[]> {
  const found = await searchOrFail(
    connection,
    { base: entry.dn, scope: 'base', filter: present('objectClass'), attributes: ['tokenGroups'], maxEntries: 1 },
    deadline,
  );
  return found.entries[0] === undefined ? [] : bytesOf(found.entries[0], 'tokenGroups');
}

/** The primary group has no member list: its SID is the account's SID with another last component. */
export function primarySid(entry: Entry): Buffer | undefined {
  const rid = textOf(entry, 'primaryGroupID');
  const sid = bytesOf(entry, 'objectSid')[0];
  if (rid === undefined || sid === undefined) return undefined;
  if (!/^\d{1,10}$/.test(rid) || sid.length < 12)
    throw new DirectoryFailure('protocol', 'The primary group cannot be read');
  const group = Buffer.from(sid);
  group.writeUInt32LE(Number(rid), group.length - 4);
  return group;
}

async function groupOfSid({ connection, deadline }: Reading, { tree }: Facts, sid: Buffer): Promise<string> {
  const found = await searchOrFail(
    connection,
    { base: tree, scope: 'sub', filter: equal('objectSid', sid), attributes: ['1.1'], maxEntries: 1 },
    deadline,
  );
  const group = found.entries[0];
  if (group === undefined) throw new DirectoryFailure('refused', 'The primary group cannot be seen');
  return group.dn;
}

function asText(value: Buffer, attribute: string): string {
  const text = value.toString('utf8');
  if (text.includes('\uFFFD')) throw new DirectoryFailure('protocol', `The attribute ${attribute} holds no text`);
  return text;
}

function* batches<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += batchSize) yield list.slice(at, at + batchSize);
}
