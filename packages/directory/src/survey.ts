import { stateAttributes } from './account-state.ts';
import { agreed, clockText, ownClock, type Clock } from './clock.ts';
import { configFaults } from './config-faults.ts';
import type { Connection, Question } from './connection.ts';
import { createConnections } from './connections.ts';
import { deadlineIn, type Deadline } from './deadline.ts';
import { parseDnList } from './dn-list.ts';
import { asFailure, DirectoryFailure, failureOf, resultCodes } from './failures.ts';
import { parseTemplate } from './filter-template.ts';
import { anyOf, present, type Filter } from './filter.ts';
import { ldapClaimKey } from './group-mapping.ts';
import { groupAttributes } from './groups.ts';
import { idAttributes } from './immutable-id.ts';
import { anybodyHas } from './kept-attribute.ts';
import { bytesOf, eachValue, type Entry } from './entry.ts';
import type { Answer, DirectoryConfig } from './model.ts';
import { paced, type Pacing } from './paced.ts';
import { pagedSearch } from './paged-search.ts';
import { allValues, isSliced } from './ranges.ts';
import { createReach, type Reach } from './reach.ts';
import { readRootDse, treeOf, type RootDse } from './root-dse.ts';
import { parseServers, serverText } from './servers.ts';
import { createReader, type Surveyed } from './survey-reader.ts';

/** How it is known that everybody was told of. */
export interface Survey {
  readonly seen: number;
  readonly proof: readonly { readonly code: string; readonly evidence: string }[];
}

export interface SurveyOptions extends Pacing {
  /** Names of the groups that claims are wanted of. */
  readonly mapped: readonly string[];
  readonly each: (person: Surveyed) => void;
  readonly clock?: Clock;
}

const PAGE = 1000;
const MAX_PEOPLE = 5_000_000;
const MAX_GROUPS = 200_000;
/** Of so many entries an attribute that everybody has must be readable. */
const READABLE = 0.95;

interface Asking {
  readonly connection: Connection;
  readonly config: DirectoryConfig;
  readonly root: RootDse;
  readonly deadline: Deadline;
}

/**
 * Tells of everybody the directory holds, over one connection to one server, page by page. There is an answer only when
 * it is proved to be whole: every page closed by success and an empty cookie, the base and all required groups there,
 * no limit, referral or half-read attribute. Everything else is unknown.
 */
export async function survey(config: DirectoryConfig, options: SurveyOptions): Promise<Answer<Survey>> {
  const [fault] = configFaults(config);
  if (fault !== undefined) return unknown(new DirectoryFailure('config', `${fault.key}: ${fault.message}`));
  try {
    const opened = await openFirst(config, options);
    try {
      // From here on it is this server or none: what was told already would be told twice.
      return { outcome: 'yes', value: await readAll(paced(opened, config, options), config, options) };
    } finally {
      opened.close();
    }
  } catch (error) {
    return unknown(error);
  }
}

/** A connection to the first server that can be reached. */
async function openFirst(config: DirectoryConfig, { onRequest, signal }: SurveyOptions): Promise<Connection> {
  const { openAsService } = createConnections(config);
  let failure: unknown;
  for (const server of parseServers(config)) {
    try {
      onRequest();
      return await openAsService(server, deadlineIn(config.timeoutSeconds * 1000));
    } catch (error) {
      failure = error;
      if (asFailure(error).reason !== 'unreachable' || signal.aborted) break;
    }
  }
  throw failure;
}

const unknown = (error: unknown): Answer<Survey> => {
  const { reason, message } = asFailure(error);
  return { outcome: 'unknown', reason, message };
};

async function readAll(connection: Connection, config: DirectoryConfig, options: SurveyOptions): Promise<Survey> {
  const deadline = deadlineIn(24 * 3_600_000);
  const root = await readRootDse(connection, deadline);
  const clock = agreed(options.clock ?? ownClock(), root.currentTime);
  const asking = { connection, config, root, deadline };
  await mustExist(asking, config.searchBase, 'base');
  const deciding = [...parseDnList(config.userGroups).dns, ...parseDnList(config.adminGroups).dns];
  for (const dn of deciding) await mustExist(asking, dn, 'group');
  const wanted = distinct([...deciding, ...options.mapped]);
  const listed = wanted.length > 0 && (await keptBySomebody(asking));
  const reach = await reachOf(asking, wanted, listed);
  const { counts, pages } = await readPeople(asking, { reach, listed, options, clock });
  const { seen } = counts;
  return {
    seen,
    proof: [
      { code: 'peer', evidence: `${serverText(connection.server)}, ${root.vendorName ?? 'unknown vendor'}` },
      { code: 'bind', evidence: config.bindDn ?? 'anonymous' },
      { code: 'clock', evidence: clockText(clock) },
      { code: 'base', evidence: config.searchBase },
      { code: 'groups', evidence: `${deciding.length} deciding groups exist, ${wanted.length} looked at` },
      { code: 'pages', evidence: `${pages} pages closed by success and an empty cookie` },
      { code: 'people', evidence: `${seen} entries` },
      { code: 'attributes', evidence: readableWords(counts, config) },
    ],
  };
}

const distinct = (dns: readonly string[]): string[] => [...new Map(dns.map((dn) => [ldapClaimKey(dn), dn])).values()];

async function mustExist({ connection, deadline }: Asking, dn: string, what: 'base' | 'group'): Promise<void> {
  const question = {
    base: dn,
    scope: 'base',
    filter: present('objectClass'),
    attributes: ['1.1'],
    maxEntries: 1,
  } as const;
  const { code, diagnostic, entries } = await connection.search(question, deadline);
  if (code === resultCodes.success && entries.length === 1) return;
  const failure =
    code === resultCodes.success ? new DirectoryFailure('refused', 'no entry') : failureOf(code, diagnostic);
  throw new DirectoryFailure(failure.reason, `The ${what} ${dn} cannot be read: ${failure.message}`, {
    cause: failure,
  });
}

const keptBySomebody = async ({ connection, config, root, deadline }: Asking): Promise<boolean> =>
  await anybodyHas({
    connection,
    root,
    base: treeOf(config.searchBase, root.namingContexts),
    attribute: config.groupAttr,
    deadline,
  });

/** Reads as many groups as the question needs: the wanted ones, or all where groups inside groups count. */
async function reachOf(asking: Asking, wanted: readonly string[], listed: boolean): Promise<Reach> {
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
  for (const dn of building.unseen()) await mustHaveNobody(asking, dn);
  return building.done();
}
const memberAttributes = ['member', 'uniqueMember', 'memberUid'];

/** A group that is said to be gone, or is left out of the list of all, would be taken from everybody in it: asked twice. */
async function mustHaveNobody({ connection, deadline }: Asking, base: string): Promise<void> {
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
    // A mapping may name a group that is gone; nobody is in it. One that is there and not shown is another matter.
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

/** Everything that matches, page by page; a server without paging gives one answer that a result 0 closes. */
async function* allOf(
  { connection, root, deadline }: Asking,
  question: Omit<Question, 'page'>,
): AsyncGenerator<readonly Entry[], { pages: number }> {
  if (root.pages) return yield* pagedSearch(connection, { ...question, pageSize: PAGE, ahead: true }, deadline);
  const found = await connection.search(question, deadline);
  if (found.code !== resultCodes.success) throw failureOf(found.code, found.diagnostic);
  yield found.entries;
  return { pages: 1 };
}

const everybody = (config: DirectoryConfig): Filter =>
  parseTemplate(config.userSearchFilter, { username: config.usernameAttr, email: config.emailAttr }).forEverybody();

interface How {
  readonly reach: Reach;
  readonly listed: boolean;
  readonly options: SurveyOptions;
  readonly clock: Clock;
}

async function readPeople(asking: Asking, how: How) {
  const { config } = asking;
  const attributes = [config.usernameAttr, config.emailAttr, ...idAttributes, ...stateAttributes, ...groupAttributes];
  const pages = allOf(asking, {
    base: config.searchBase,
    scope: 'sub',
    filter: everybody(config),
    attributes: [...new Set(how.listed ? [...attributes, config.groupAttr] : attributes)],
    maxEntries: MAX_PEOPLE,
  });
  const { connection, deadline } = asking;
  const read = createReader({ connection, config, deadline, ...how });
  const counts = { seen: 0, named: 0, withId: 0, admitted: 0 };
  for (;;) {
    const page = await pages.next();
    if (page.done === true) {
      mustBeReadable(counts, config);
      return { counts, pages: page.value.pages };
    }
    for (const entry of page.value) {
      const told = read(entry);
      const person = told instanceof Promise ? await told : told;
      counts.seen += 1;
      if (person.login !== '') counts.named += 1;
      if (person.id !== null) counts.withId += 1;
      if (person.admitted === 'yes') counts.admitted += 1;
      how.options.each(person);
    }
  }
}

interface Counts {
  readonly seen: number;
  readonly named: number;
  readonly withId: number;
  readonly admitted: number;
}

const readableWords = ({ seen, named, withId }: Counts, { usernameAttr }: DirectoryConfig): string =>
  `of ${seen} entries ${named} show ${usernameAttr}, ${withId} an immutable id`;

/** What some have and some do not, though all must, is hidden by the server's rules; so are members nobody sees. */
function mustBeReadable({ seen, named, withId, admitted }: Counts, config: DirectoryConfig): void {
  if (named < seen * READABLE)
    throw new DirectoryFailure('refused', `The attribute ${config.usernameAttr} is not readable for everybody`);
  if (withId > 0 && withId < seen * READABLE)
    throw new DirectoryFailure('refused', 'The immutable id is not readable for everybody');
  if (seen > 0 && admitted === 0)
    throw new DirectoryFailure('refused', 'Nobody is in any of the required groups: their members may be hidden');
}
