import { ldapClaimKey } from '../dn/claim-key.ts';
import { stateAttributes } from '../read/account-state.ts';
import { textsOf } from '../read/attributes.ts';
import { configFailure } from '../config-faults.ts';
import type { Connection } from '../wire/connection.ts';
import { createConnections } from '../wire/connections.ts';
import { deadlineIn, type Deadline } from '../wire/deadline.ts';
import { parseDnList } from '../dn/dn-list.ts';
import type { Entry } from '../wire/entry.ts';
import { unknownAnswer } from '../wire/failures.ts';
import { createFinder, isLogin } from '../read/find.ts';
import { createGroups, groupsHolding } from '../read/groups.ts';
import { createHealth } from '../wire/health.ts';
import type { Answer, DirectoryConfig, Person } from '../model.ts';
import { createPeople } from '../read/person.ts';
import { Pool } from '../wire/pool.ts';
import { readRootDse, treeOf } from '../read/root-dse.ts';
import { parseServers } from '../wire/servers.ts';

/** A person, and the evidence for the explanation. */
export type Explained = {
  readonly person: Person;
  /** The decisive attributes with their stored values. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Paths of nested groups that lead to a relevant group, which comes last. */
  readonly paths: readonly (readonly string[])[];
};

/** Limit of parent-group queries; beyond it only the last group of a path is reported. */
const maxAsked = 200;

type SnapshotSearch = {
  readonly connection: Connection;
  readonly entry: Entry;
  readonly login: string;
  readonly deadline: Deadline;
};

/**
 * Looks a person up on a separate connection and explains their groups and account state.
 * @param mapped Names of groups with a mapping, in addition to those of the settings.
 */
export async function explain(
  config: DirectoryConfig,
  login: string,
  mapped: readonly string[],
): Promise<Answer<Explained>> {
  const fault = configFailure(config);
  if (fault !== undefined) return unknownAnswer(fault);
  if (!isLogin(login)) return notFound;
  const pool = new Pool(createConnections(config).openAsService, createHealth(parseServers(config)));
  const deadline = deadlineIn(config.timeoutSeconds * 1000);
  try {
    return await pool.use(deadline, async (connection) => {
      const found = await createFinder(config)(connection, login, deadline);
      if (found.outcome === 'several') return ambiguous;
      if (found.outcome === 'none') return notFound;
      const { entry } = found;
      const named = createPeople(config).loginOf(entry);
      return {
        outcome: 'yes',
        value: await explainPerson(config, mapped, { connection, entry, login: named, deadline }),
      };
    });
  } catch (error) {
    return unknownAnswer(error);
  } finally {
    pool.close();
  }
}

const notFound: Answer<Explained> = { outcome: 'no', reason: 'not_found', message: 'User not found in LDAP' };
const ambiguous: Answer<Explained> = {
  outcome: 'no',
  reason: 'ambiguous',
  message: 'Several LDAP entries match this login',
};

async function explainPerson(
  config: DirectoryConfig,
  mapped: readonly string[],
  asking: SnapshotSearch,
): Promise<Explained> {
  const { entry, login } = asking;
  const membership = await createGroups(config)(asking);
  const deciding = [...parseDnList(config.userGroups).dns, ...parseDnList(config.adminGroups).dns, ...mapped];
  const counts = new Set(deciding.map(ldapClaimKey));
  const wanted = membership.groups.filter((dn) => counts.has(ldapClaimKey(dn)));
  return {
    person: createPeople(config).read(entry, login, membership, new Date()),
    attributes: attributesOf(config, entry),
    paths: await pathsTo(config, wanted, asking),
  };
}

function attributesOf(config: DirectoryConfig, entry: Entry): Record<string, string> {
  const names = [...new Set([config.usernameAttr, config.emailAttr, ...stateAttributes])];
  return Object.fromEntries(
    names.flatMap((name) => {
      const values = textsOf(entry, name);
      return values.length === 0 ? [] : [[name, values.join(', ')]];
    }),
  );
}

/** Follows parent groups from a person's direct groups, one query per group, until all relevant groups are found. */
async function pathsTo(
  config: DirectoryConfig,
  wanted: readonly string[],
  asking: SnapshotSearch,
): Promise<string[][]> {
  if (!config.recursiveGroups || wanted.length === 0) return wanted.map((dn) => [dn]);
  const { connection, deadline } = asking;
  const missing = new Map(wanted.map((dn) => [ldapClaimKey(dn), dn]));
  const root = await readRootDse(connection, deadline);
  const tree = treeOf(config.searchBase, root.namingContexts);
  const direct = await createGroups({ ...config, recursiveGroups: false })(asking);
  const paths: string[][] = [];
  const seen = new Set<string>();
  const toGo = direct.groups.map((dn) => [dn]);
  let asked = 0;
  for (let path = toGo.shift(); path !== undefined && missing.size > 0; path = toGo.shift()) {
    const dn = path.at(-1) ?? '';
    const key = ldapClaimKey(dn);
    if (seen.has(key)) continue;
    seen.add(key);
    if (missing.delete(key)) paths.push(path);
    if (missing.size === 0 || asked >= maxAsked) continue;
    asked += 1;
    for (const parent of await groupsHolding({ connection, deadline }, { root, tree }, dn))
      toGo.push([...path, parent]);
  }
  return [...paths, ...[...missing.values()].map((dn) => [dn])];
}
