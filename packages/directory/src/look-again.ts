import { stateAttributes } from './account-state.ts';
import type { Connection } from './connection.ts';
import { createConnections } from './connections.ts';
import { deadlineIn, type Deadline } from './deadline.ts';
import { asFailure, DirectoryFailure, failureOf, resultCodes } from './failures.ts';
import { equal } from './filter.ts';
import { createFinder } from './find.ts';
import { createGroups, groupAttributes } from './groups.ts';
import { idAttributes, idValue } from './immutable-id.ts';
import type { Entry } from './entry.ts';
import type { Answer, DirectoryConfig } from './model.ts';
import { createPeople } from './person.ts';
import { parseServers } from './servers.ts';
import type { Surveyed } from './survey-reader.ts';

/** Whom to look for: by the immutable id where there is one, else by login. */
export interface Sought {
  readonly id: string | null;
  readonly login: string | null;
}

/**
 * Asks for one person on a connection of its own, at the last of several servers first: a second witness to what a
 * survey found. Null: the directory does not have them.
 */
export async function lookAgain(
  config: DirectoryConfig,
  sought: Sought,
  onRequest: () => void,
): Promise<Answer<Surveyed | null>> {
  const { openAsService } = createConnections(config);
  let failure: unknown;
  for (const server of parseServers(config).toReversed()) {
    const deadline = deadlineIn(config.timeoutSeconds * 1000);
    try {
      onRequest();
      const connection = await openAsService(server, deadline);
      try {
        onRequest();
        const entry = await findEntry(connection, { config, sought, deadline });
        return { outcome: 'yes', value: entry && (await readPerson(connection, { config, entry, deadline })) };
      } finally {
        connection.close();
      }
    } catch (error) {
      failure = error;
      if (asFailure(error).reason !== 'unreachable') break;
    }
  }
  const { reason, message } = asFailure(failure);
  return { outcome: 'unknown', reason, message };
}

type Where = { readonly config: DirectoryConfig; readonly deadline: Deadline };

async function findEntry(
  connection: Connection,
  { config, sought, deadline }: Where & { sought: Sought },
): Promise<Entry | null> {
  if (sought.id === null) {
    const found = await createFinder(config)(connection, sought.login ?? '', deadline);
    if (found.outcome === 'several') throw new DirectoryFailure('protocol', 'Several entries have this login');
    return found.outcome === 'one' ? found.entry : null;
  }
  const { attribute, value } = idValue(sought.id);
  const attributes = [
    config.usernameAttr,
    config.emailAttr,
    config.groupAttr,
    ...idAttributes,
    ...stateAttributes,
    ...groupAttributes,
  ];
  const found = await connection.search(
    { base: config.searchBase, scope: 'sub', filter: equal(attribute, value), attributes, maxEntries: 2 },
    deadline,
  );
  if (found.code !== resultCodes.success) throw failureOf(found.code, found.diagnostic);
  if (found.entries.length > 1) throw new DirectoryFailure('protocol', 'Several entries have this immutable id');
  return found.entries[0] ?? null;
}

async function readPerson(
  connection: Connection,
  { config, entry, deadline }: Where & { entry: Entry },
): Promise<Surveyed> {
  const people = createPeople(config);
  const login = people.loginOf(entry);
  const membership = await createGroups(config)({ connection, entry, login, deadline });
  const { immutableId, groups, admitted, adminSignal, state } = people.read(entry, login, membership, new Date());
  return {
    id: immutableId,
    login,
    disabled: state.disabled ? 'yes' : 'no',
    admitted,
    admin: adminSignal,
    claims: groups,
    evidence: { dn: entry.dn, ...(state.reason === null ? {} : { state: state.reason }) },
  };
}
