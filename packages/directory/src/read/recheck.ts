import { setTimeout as sleep } from 'node:timers/promises';
import { ownClock, type Clock } from './clock.ts';
import { searchOrFail, type Connection } from '../wire/connection.ts';
import { openFirstReachable } from '../wire/connections.ts';
import { deadlineIn, type Deadline } from '../wire/deadline.ts';
import { asFailure, DirectoryFailure, unknownAnswer } from '../wire/failures.ts';
import { equal } from '../filter/filter.ts';
import { createFinder } from './find.ts';
import { createGroups } from './groups.ts';
import { idValue } from './immutable-id.ts';
import type { Entry } from '../wire/entry.ts';
import type { Answer, DirectoryConfig } from '../model.ts';
import { paced, type Pacing } from './paced.ts';
import { createPeople, personAttributes } from './person.ts';
import { parseServers } from '../wire/servers.ts';
import type { SnapshotPerson } from './snapshot-people.ts';

/** The person to find: by immutable id if there is one, otherwise by login. */
export type PersonKey = {
  readonly id: string | null;
  readonly login: string | null;
};

/** `busyRetryDelaysMs`: pauses before each retry while the directory responds `busy`. */
export type RecheckOptions = {
  readonly busyRetryDelaysMs?: readonly number[];
  readonly clock?: Clock;
} & Pacing;

/**
 * Reads persons one after another on a separate connection, preferring the last of several servers, to verify a
 * snapshot. Null: the directory does not contain the person. After an unknown result the sequence ends.
 */
export async function* recheckPeople(
  config: DirectoryConfig,
  keys: Iterable<PersonKey>,
  options: RecheckOptions,
): AsyncGenerator<Answer<SnapshotPerson | null>> {
  let connection: Connection | undefined;
  const lookUp = async (key: PersonKey): Promise<SnapshotPerson | null> => {
    connection ??= paced(await openFirstReachable(config, parseServers(config).toReversed(), options), config, options);
    const lookUpContext = { config, key, deadline: deadlineIn(24 * 3_600_000), now: (options.clock ?? ownClock()).now };
    const entry = await findEntry(connection, lookUpContext);
    return entry && (await readPerson(connection, { ...lookUpContext, entry }));
  };
  const lookUpWithRetry = async (key: PersonKey): Promise<SnapshotPerson | null> => {
    for (const pause of options.busyRetryDelaysMs ?? []) {
      try {
        return await lookUp(key);
      } catch (error) {
        if (asFailure(error).reason !== 'busy') throw error;
        connection?.close();
        connection = undefined;
        await sleep(pause, undefined, { signal: options.signal });
      }
    }
    return await lookUp(key);
  };
  try {
    for (const key of keys) yield { outcome: 'yes', value: await lookUpWithRetry(key) };
  } catch (error) {
    yield unknownAnswer(error);
  } finally {
    connection?.close();
  }
}

type Where = { readonly config: DirectoryConfig; readonly deadline: Deadline };

async function findEntry(
  connection: Connection,
  { config, key, deadline }: Where & { key: PersonKey },
): Promise<Entry | null> {
  if (key.id === null) {
    const found = await createFinder(config)(connection, key.login ?? '', deadline);
    if (found.outcome === 'several') throw new DirectoryFailure('protocol', 'Several entries have this login');
    return found.outcome === 'one' ? found.entry : null;
  }
  const { attribute, value } = idValue(key.id);
  const attributes = [...personAttributes(config), config.groupAttr];
  const found = await searchOrFail(
    connection,
    { base: config.searchBase, scope: 'sub', filter: equal(attribute, value), attributes, maxEntries: 2 },
    deadline,
  );
  if (found.entries.length > 1) throw new DirectoryFailure('protocol', 'Several entries have this immutable id');
  return found.entries[0] ?? null;
}

async function readPerson(
  connection: Connection,
  { config, entry, deadline, now }: Where & { entry: Entry; now: Date },
): Promise<SnapshotPerson> {
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
