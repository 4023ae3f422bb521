import { textOf } from '../read/attributes.ts';
import type { Connection } from '../wire/connection.ts';
import type { Deadline } from '../wire/deadline.ts';
import { parseDnList } from '../dn/dn-list.ts';
import { DirectoryFailure, failureOf, resultCodes } from '../wire/failures.ts';
import { userFilterOf } from '../filter/filter-template.ts';
import { present } from '../filter/filter.ts';
import { createGroups } from '../read/groups.ts';
import { idAttributes, immutableIdOf } from '../read/immutable-id.ts';
import { bytesOf, type Entry } from '../wire/entry.ts';
import type { DirectoryConfig } from '../model.ts';
import { pagedSearch } from '../read/paged-search.ts';
import { treeOf, type RootDse } from '../read/root-dse.ts';
import type { Seen, Steps } from './steps.ts';

/** The state of a connection test after the bind of the service account. */
type Test = {
  readonly config: DirectoryConfig;
  readonly steps: Steps;
  readonly newDeadline: () => Deadline;
  readonly connection: Connection;
  readonly root: RootDse;
};

const sample = 100;

/** The steps from the search base to the groups, as in a sign-in. */
export async function examinePeople(test: Test): Promise<void> {
  const { config, steps } = test;
  const base = await steps.run('search_base', 'Search base', async () => await readBase(test));
  if (base === undefined) return;
  await steps.run('paging', 'Paged search', async () => await tryPaging(test));
  const people = await steps.run('users', 'People that could sign in', async () => await samplePeople(test));
  if (people !== undefined && people.length > 0) {
    const found = async (see: () => Seen) => await Promise.resolve(see());
    await steps.run('immutable_id', 'Stable user id', async () => await found(() => seeIds(people)));
    await steps.run('email', 'E-mail addresses', async () => await found(() => seeEmails(people, config)));
    await steps.run('group_attribute', 'Groups of people', async () => await found(() => seeGroups(people, config)));
  }
  await examineGroups(test, 'required_groups', 'Required groups', config.userGroups);
  await examineGroups(test, 'admin_groups', 'Groups of administrators', config.adminGroups);
  const [person] = people ?? [];
  if (person !== undefined)
    await steps.run('nested_groups', 'Reading the groups of a person', async () => await tryGroups(test, person));
  await steps.run('lockout_policy', "The directory's own lockout", async () => await readLockout(test));
}

async function readBase({ config, connection, newDeadline }: Test): Promise<Seen<true>> {
  const [entry] = await read(connection, {
    base: config.searchBase,
    attributes: ['objectClass'],
    deadline: newDeadline(),
  });
  if (entry === undefined)
    throw new DirectoryFailure('config', `${config.searchBase} does not exist or cannot be read`);
  return { evidence: entry.dn, value: true };
}

async function tryPaging(test: Test): Promise<Seen> {
  const question = {
    base: test.config.searchBase,
    scope: 'sub',
    filter: userFilterOf(test.config).forAllUsers(),
    attributes: ['1.1'],
  } as const;
  const chain = pagedSearch(test.connection, { ...question, pageSize: 2, maxEntries: 1000 }, test.newDeadline());
  let pages = 0;
  while (pages < 3 && (await chain.next()).done !== true) pages += 1;
  return { evidence: `${pages} pages were read.` };
}

async function samplePeople(test: Test): Promise<Seen<readonly Entry[]>> {
  const { config, connection, newDeadline } = test;
  const attributes = [config.usernameAttr, config.emailAttr, config.nameAttr, config.groupAttr, ...idAttributes];
  const question = {
    base: config.searchBase,
    scope: 'sub',
    filter: userFilterOf(test.config).forAllUsers(),
    attributes,
  } as const;
  const pages = pagedSearch(connection, { ...question, pageSize: sample, maxEntries: sample * 10 }, newDeadline());
  const first = await pages.next();
  await pages.return({ entries: 0, pages: 0, references: 0 });
  const value = Array.isArray(first.value) ? (first.value as readonly Entry[]) : [];
  if (value.length === 0) {
    const advice = 'Check the search base, the search filter and the rights of the service account.';
    return { ok: false, evidence: 'The search found no user.', advice, value };
  }
  const named = value.filter((entry) => textOf(entry, config.usernameAttr) !== undefined).length;
  const evidence = `${value.length} looked at, ${named} with ${config.usernameAttr}.`;
  if (named === value.length) return { evidence, value };
  return { ok: false, evidence, advice: `Correct ldap_username_attr: ${config.usernameAttr} is missing.`, value };
}

function seeIds(people: readonly Entry[]): Seen {
  const without = people.filter((entry) => immutableIdOf(entry) === null).length;
  const example = immutableIdOf(people[0]!);
  if (without === 0) return { evidence: `Everybody has one, like ${example}.` };
  const advice = `Let the service account read one of ${idAttributes.join(', ')}; without it, a new person with a reused login name gets the old account.`;
  return { ok: false, evidence: `${without} of ${people.length} have none.`, advice };
}

function seeEmails(people: readonly Entry[], { emailAttr }: DirectoryConfig): Seen {
  const emails = people.flatMap((entry) => textOf(entry, emailAttr)?.toLowerCase() ?? []);
  const twice = emails.length - new Set(emails).size;
  const evidence = `${Math.round((100 * emails.length) / people.length)} % have ${emailAttr}, ${twice} addresses occur twice.`;
  if (emails.length === 0)
    return { ok: false, evidence, advice: 'Correct ldap_email_attr: sign-in requires an e-mail address.' };
  if (twice > 0) return { evidence, advice: 'People who share an address cannot sign in by it.' };
  return { evidence, advice: emails.length < people.length ? 'Those without an address cannot sign in.' : null };
}

function seeGroups(people: readonly Entry[], { groupAttr }: DirectoryConfig): Seen {
  const having = people.filter(({ attributes }) =>
    [...attributes].some(([name, values]) => name.split(';')[0] === groupAttr.toLowerCase() && values.length > 0),
  ).length;
  const evidence = `${having} of ${people.length} have ${groupAttr}.`;
  if (having > 0) return { evidence };
  return {
    evidence,
    advice: `Where the directory keeps no ${groupAttr}, groups are searched by their members, which is slower.`,
  };
}

const groupClasses =
  /^(?:group|groupOf(?:Unique)?Names|groupOfURLs|groupOfMembers|posixGroup|nestedGroup|ipaUserGroup)$/i;

async function examineGroups({ steps, connection, newDeadline }: Test, code: string, title: string, setting: string) {
  const { dns } = parseDnList(setting);
  if (dns.length === 0) return;
  await steps.run(code, title, async () => {
    const faults: string[] = [];
    for (const dn of dns) {
      const [group] = await read(connection, { base: dn, attributes: ['objectClass'], deadline: newDeadline() });
      if (group === undefined) faults.push(`${dn} does not exist or cannot be read.`);
      else if (!bytesOf(group, 'objectClass').some((value) => groupClasses.test(value.toString())))
        faults.push(`${dn} is no group.`);
    }
    if (faults.length === 0) return { evidence: dns.join(' | ') };
    return {
      ok: false,
      evidence: faults.join(' '),
      advice: 'Correct the names; the list shows how the setting was split.',
    };
  });
}

async function tryGroups({ config, connection, newDeadline }: Test, entry: Entry): Promise<Seen> {
  const [full = entry] = await read(connection, {
    base: entry.dn,
    attributes: [config.usernameAttr, config.groupAttr, 'primaryGroupID', 'objectSid'],
    deadline: newDeadline(),
  });
  const login = textOf(full, config.usernameAttr) ?? '';
  const { groups, missing } = await createGroups(config)({ connection, entry: full, login, deadline: newDeadline() });
  const how = config.recursiveGroups ? 'groups in groups counted' : 'groups in groups not counted';
  if (missing === null) return { evidence: `${login} is in ${groups.length} groups (${how}).` };
  return { ok: false, evidence: missing, advice: 'Give the service account the right to read groups.' };
}

// Password guessing must lock the account in this product before the directory locks it.
async function readLockout({ config, connection, root, newDeadline }: Test): Promise<Seen> {
  const tree = treeOf(config.searchBase, root.namingContexts);
  const limit = await lockoutThreshold({ connection, root, tree, deadline: newDeadline() });
  if (limit === undefined) return { evidence: 'The directory shows no policy.' };
  if (limit === 0) return { evidence: 'The directory has no lockout policy.' };
  const evidence = `The directory locks after ${limit} failures.`;
  if (limit > 5) return { evidence };
  return {
    evidence,
    advice: `Set the threshold of the lockout here below ${limit}, or strangers can lock people out of the directory.`,
  };
}

async function lockoutThreshold({
  connection,
  root,
  tree,
  deadline,
}: {
  connection: Connection;
  root: RootDse;
  tree: string;
  deadline: Deadline;
}): Promise<number | undefined> {
  const attributes = ['lockoutThreshold', 'pwdMaxFailure', 'pwdLockout'];
  const filter = present(root.activeDirectory ? 'lockoutThreshold' : 'pwdMaxFailure');
  const scope = root.activeDirectory ? 'base' : 'sub';
  const found = await connection.search({ base: tree, scope, filter, attributes, maxEntries: 50 }, deadline);
  const limits = found.entries
    .filter((entry) => textOf(entry, 'pwdLockout')?.toUpperCase() !== 'FALSE')
    .flatMap((entry) => textOf(entry, 'lockoutThreshold') ?? textOf(entry, 'pwdMaxFailure') ?? [])
    .map(Number);
  const locking = limits.filter((limit) => limit > 0);
  return locking.length > 0 ? Math.min(...locking) : limits[0];
}

async function read(
  connection: Connection,
  { base, attributes, deadline }: { base: string; attributes: readonly string[]; deadline: Deadline },
): Promise<readonly Entry[]> {
  const filter = present('objectClass');
  const found = await connection.search({ base, scope: 'base', filter, attributes, maxEntries: 1 }, deadline);
  if (found.code === resultCodes.noSuchObject) return [];
  if (found.code !== resultCodes.success) throw failureOf(found.code, found.diagnostic);
  return found.entries;
}
