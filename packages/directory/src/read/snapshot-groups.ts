import { bytesOf, eachValue, type Entry } from '../wire/entry.ts';
import { DirectoryFailure, failureOf, resultCodes } from '../wire/failures.ts';
import { anyOf, present } from '../filter/filter.ts';
import { anyEntryHas } from './kept-attribute.ts';
import { allValues, isSliced } from './ranges.ts';
import { createReach, type Reach } from './reach.ts';
import { treeOf } from './root-dse.ts';
import { searchSnapshot, type SnapshotSearch } from './snapshot-search.ts';

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
