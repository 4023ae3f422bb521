import { bytesOf, eachValue, type Entry } from './entry.ts';
import { DirectoryFailure, failureOf, resultCodes } from './failures.ts';
import { anyOf, present } from './filter.ts';
import { anybodyHas } from './kept-attribute.ts';
import { allValues, isSliced } from './ranges.ts';
import { createReach, type Reach } from './reach.ts';
import { treeOf } from './root-dse.ts';
import { allOf, type Asking } from './survey-asking.ts';

const MAX_GROUPS = 200_000;
const memberAttributes = ['member', 'uniqueMember', 'memberUid'];

/** Whether user entries list their groups; if no entry does, the groups are searched by member. */
export const isAttributeUsed = async ({ connection, config, root, deadline }: Asking): Promise<boolean> =>
  await anybodyHas({
    connection,
    root,
    base: treeOf(config.searchBase, root.namingContexts),
    attribute: config.groupAttr,
    deadline,
  });

/** Reads as many groups as the question needs: the wanted ones, or all where groups inside groups count. */
export async function reachOf(asking: Asking, wanted: readonly string[], listed: boolean): Promise<Reach> {
  const { config, root } = asking;
  const building = createReach({ wanted, nested: config.recursiveGroups, byMember: !listed });
  const needsGroups = wanted.length > 0 && (config.recursiveGroups || !listed || root.activeDirectory);
  if (!needsGroups) {
    for (const dn of wanted) building.add({ dn, members: [], logins: [], sid: null });
    return building.done();
  }
  const attributes = [...memberAttributes, 'objectSid'];
  const everyGroup = (asked: string[]) =>
    allOf(asking, {
      base: treeOf(config.searchBase, root.namingContexts),
      scope: 'sub',
      filter: anyOf(memberAttributes.map(present)),
      attributes: asked,
      maxEntries: MAX_GROUPS,
    });
  // Their names first: of their members, groups alone are then kept, and people are many more.
  if (config.recursiveGroups && listed)
    for await (const page of everyGroup(['1.1'])) building.expect(page.map((entry) => entry.dn));
  const ask = config.recursiveGroups ? everyGroup(attributes) : eachOf(asking, wanted, attributes);
  for await (const page of ask) for (const entry of page) building.add(await membersOf(asking, entry));
  for (const dn of building.unseen()) await requireEmptyGroup(asking, dn);
  return building.done();
}

/** A group that is missing from the list would be removed from all of its members, so its absence is verified. */
async function requireEmptyGroup({ connection, deadline }: Asking, base: string): Promise<void> {
  const filter = anyOf(memberAttributes.map(present));
  const question = { base, scope: 'base', filter, attributes: ['1.1'], maxEntries: 1 } as const;
  const { code, diagnostic, entries } = await connection.search(question, deadline);
  if (code === resultCodes.noSuchObject) return;
  if (code !== resultCodes.success) throw failureOf(code, diagnostic);
  if (entries.length > 0)
    throw new DirectoryFailure('protocol', `The group ${base} has members, and was not among the groups`);
}

async function* eachOf({ connection, deadline }: Asking, dns: readonly string[], attributes: string[]) {
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

async function membersOf({ connection, deadline }: Asking, entry: Entry) {
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
