import { setTimeout as sleep } from 'node:timers/promises';
import { stateAttributes } from './account-state.ts';
import { ownClock, type Clock } from './clock.ts';
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
import { paced, type Pacing } from './paced.ts';
import { createPeople } from './person.ts';
import { parseServers } from './servers.ts';
import type { Surveyed } from './survey-reader.ts';

/** Whom to look for: by the immutable id where there is one, else by login. */
export interface Sought {
  readonly id: string | null;
  readonly login: string | null;
}

/** `busyRetryDelaysMs`: pauses before each retry while the directory answers `busy`. */
export interface LookOptions extends Pacing {
  readonly busyRetryDelaysMs?: readonly number[];
  readonly clock?: Clock;
}

/**
 * Asks for one person after the other on one connection of its own, at the last of several servers first: a second
 * witness to what a survey found. Null: the directory does not have them. After an answer that is unknown there is no other.
 */
export async function* recheckPeople(
  config: DirectoryConfig,
  everybody: Iterable<Sought>,
  options: LookOptions,
): AsyncGenerator<Answer<Surveyed | null>> {
  let connection: Connection | undefined;
  const look = async (sought: Sought): Promise<Surveyed | null> => {
    connection ??= paced(await openLast(config, options), config, options);
    const asking = { config, sought, deadline: deadlineIn(24 * 3_600_000), now: (options.clock ?? ownClock()).now };
    const entry = await findEntry(connection, asking);
    return entry && (await readPerson(connection, { ...asking, entry }));
  };
  const patiently = async (sought: Sought): Promise<Surveyed | null> => {
    for (const pause of options.busyRetryDelaysMs ?? []) {
      try {
        return await look(sought);
      } catch (error) {
        if (asFailure(error).reason !== 'busy') throw error;
        connection?.close();
        connection = undefined;
        await sleep(pause, undefined, { signal: options.signal });
      }
    }
    return await look(sought);
  };
  try {
    for (const sought of everybody) yield { outcome: 'yes', value: await patiently(sought) };
  } catch (error) {
    const { reason, message } = asFailure(error);
    yield { outcome: 'unknown', reason, message };
  } finally {
    connection?.close();
  }
}

/** A connection to the last server that can be reached. */
async function openLast(config: DirectoryConfig, { onRequest }: Pacing): Promise<Connection> {
  const { openAsService } = createConnections(config);
  let failure: unknown;
  for (const server of parseServers(config).toReversed()) {
    try {
      onRequest();
      return await openAsService(server, deadlineIn(config.timeoutSeconds * 1000));
    } catch (error) {
      failure = error;
      if (asFailure(error).reason !== 'unreachable') break;
    }
  }
  throw failure;
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
  { config, entry, deadline, now }: Where & { entry: Entry; now: Date },
): Promise<Surveyed> {
  const people = createPeople(config);
  const login = people.loginOf(entry);
  const membership = await createGroups(config)({ connection, entry, login, deadline });
  const { immutableId, groups, admitted, adminSignal, state } = people.read(entry, login, membership, now);
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
