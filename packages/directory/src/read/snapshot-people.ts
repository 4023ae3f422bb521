import { userFilterOf } from '../filter/filter-template.ts';
import type { Claims, DirectoryConfig, Tristate } from '../model.ts';
import type { Connection } from '../wire/connection.ts';
import type { Deadline } from '../wire/deadline.ts';
import { eachValue, namesOf, type Entry } from '../wire/entry.ts';
import { asFailure, DirectoryFailure } from '../wire/failures.ts';
import { createInterned } from '../wire/interned.ts';
import { accountState, stateAttributes } from './account-state.ts';
import { textOf } from './attributes.ts';
import type { Clock } from './clock.ts';
import { primarySid } from './groups.ts';
import { immutableIdOf } from './immutable-id.ts';
import { createPeople, personAttributes } from './person.ts';
import { allValues, isSliced } from './ranges.ts';
import type { Reach } from './snapshot-groups.ts';
import { searchSnapshot, type SnapshotSearch } from './snapshot-search.ts';

/** A directory user with the attributes that the sync needs. */
export type SnapshotPerson = {
  readonly id: string | null;
  readonly login: string;
  readonly disabled: Tristate;
  readonly admitted: Tristate;
  readonly admin: Tristate;
  /** The person's groups among the requested ones. */
  readonly claims: Claims;
  /** Disabled by an expiry date later than the verified clock. */
  readonly doubtful?: true;
  /** The evidence for the state. */
  readonly evidence: Readonly<Record<string, string>>;
};

const maxPeople = 5_000_000;
/** Minimum number of entries with a readable mandatory attribute. */
const readableShare = 0.95;

type ReadOptions = {
  readonly reach: Reach;
  readonly listed: boolean;
  readonly each: (person: SnapshotPerson) => void;
  readonly clock: Clock;
};

/** Reads all users, and counts those with readable mandatory attributes. */
export async function readPeople(search: SnapshotSearch, options: ReadOptions) {
  const { config } = search;
  const pages = searchSnapshot(search, {
    base: config.searchBase,
    scope: 'sub',
    filter: userFilterOf(config).forAllUsers(),
    attributes: [...new Set([...personAttributes(config), ...(options.listed ? [config.groupAttr] : [])])],
    maxEntries: maxPeople,
  });
  const { connection, deadline } = search;
  const read = createReader({ connection, config, deadline, ...options });
  const counts = { seen: 0, named: 0, withId: 0, admitted: 0 };
  for (;;) {
    const page = await pages.next();
    if (page.done === true) {
      mustBeReadable(counts, config);
      return { counts, pages: page.value.pages };
    }
    for (const entry of page.value) {
      const reading = read(entry);
      const person = reading instanceof Promise ? await reading : reading;
      counts.seen += 1;
      if (person.login !== '') counts.named += 1;
      if (person.id !== null) counts.withId += 1;
      if (person.admitted === 'yes') counts.admitted += 1;
      options.each(person);
    }
  }
}

type Counts = {
  readonly seen: number;
  readonly named: number;
  readonly withId: number;
  readonly admitted: number;
};

/** The counts of readable mandatory attributes, as evidence. */
export function readableText({ seen, named, withId }: Counts, { usernameAttr }: DirectoryConfig): string {
  return `of ${seen} entries ${named} show ${usernameAttr}, ${withId} an immutable id`;
}

/** A mandatory attribute that only some entries show is hidden by access rules; so is an empty required group. */
function mustBeReadable({ seen, named, withId, admitted }: Counts, config: DirectoryConfig): void {
  if (named < seen * readableShare)
    throw new DirectoryFailure('refused', `The attribute ${config.usernameAttr} is not readable for all users`);
  if (withId > 0 && withId < seen * readableShare)
    throw new DirectoryFailure('refused', 'The immutable id is not readable for all users');
  if (seen > 0 && admitted === 0) throw new DirectoryFailure('refused', 'The required groups have no readable member');
}

const plain: SnapshotPerson['evidence'] = {};
const maxRemembered = 50_000;

type Reading = {
  readonly connection: Connection;
  readonly config: DirectoryConfig;
  readonly deadline: Deadline;
  readonly reach: Reach;
  /** Whether user entries list their groups. */
  readonly listed: boolean;
  readonly clock: Clock;
};

/** Reads persons from entries; asynchronous only for a range of group values. */
function createReader({ connection, config, deadline, reach, listed, clock }: Reading) {
  const people = createPeople(config);
  const sets = createSets(people);
  const numberOf = createInterned((dn) => sets.number(reach.fromGroup(dn)), maxRemembered);
  const { groupAttr } = config;

  const fromList = (entry: Entry): number[] => {
    const numbers: number[] = [];
    eachValue(entry, groupAttr, (bytes, start, end) => void numbers.push(numberOf(bytes, start, end)));
    return numbers;
  };
  const fromSlices = async (entry: Entry): Promise<number[]> =>
    (await allValues(connection, entry, { attribute: groupAttr, deadline })).map((dn) => numberOf(dn, 0, dn.length));

  const read = (entry: Entry, listedGroups: number[]): SnapshotPerson => {
    const login = textOf(entry, config.usernameAttr) ?? '';
    const sid = primarySid(entry)?.toString('hex');
    if (!listed) listedGroups.push(sets.number(reach.fromMember(entry.dn, login)));
    if (sid !== undefined) listedGroups.push(sets.number(reach.fromSid(sid)));
    const groups = sets.of(listedGroups);
    const { disabled, why, doubtful = false } = stateOf(entry, clock);
    return {
      id: immutableIdOf(entry),
      login,
      disabled,
      admitted: groups.admitted,
      admin: people.isAdmin(login) ? 'yes' : groups.admin,
      claims: groups.claims,
      ...(doubtful ? { doubtful: true as const } : {}),
      evidence: why === null ? plain : { state: why, dn: entry.dn },
    };
  };
  return (entry: Entry): SnapshotPerson | Promise<SnapshotPerson> => {
    if (!listed) return read(entry, []);
    if (isSliced(entry, groupAttr)) return fromSlices(entry).then((groups) => read(entry, groups));
    return read(entry, fromList(entry));
  };
}

const stateNames = new Set(stateAttributes.map((name) => name.toLowerCase()));
const usable = { disabled: 'no', why: null } as const;

function saysItsState(entry: Entry): boolean {
  for (const name of namesOf(entry)) if (stateNames.has(name)) return true;
  return false;
}

/** Unreadable data makes the person's state unknown, which is relevant only if an account exists. */
function stateOf(
  entry: Entry,
  { now, vouched }: Clock,
): { disabled: Tristate; why: string | null; doubtful?: boolean } {
  // Most entries have none of these attributes.
  if (!saysItsState(entry)) return usable;
  try {
    const { disabled, reason } = accountState(entry, now);
    const doubtful = disabled && vouched !== null && vouched < now && !accountState(entry, vouched).disabled;
    return { disabled: disabled ? 'yes' : 'no', why: disabled ? reason : null, doubtful };
  } catch (error) {
    return { disabled: 'unknown', why: asFailure(error).message };
  }
}

/** Caches groups and lists of groups, because many persons share them. */
function createSets({ membershipSignals }: Pick<ReturnType<typeof createPeople>, 'membershipSignals'>) {
  const judged = (values: readonly string[]) => ({
    claims: { known: true as const, values },
    ...membershipSignals({ groups: values, missing: null }),
  });
  const numbers = new Map<string, number>([['', 0]]);
  const lists: (readonly string[])[] = [[]];
  const known = new Map<string, ReturnType<typeof judged>>();
  return {
    /** The number of a list of groups; 0 is the empty list. */
    number: (groups: readonly string[]): number => {
      const key = groups.join('\n');
      const found = numbers.get(key) ?? lists.push(groups) - 1;
      numbers.set(key, found);
      return found;
    },
    of: (listed: readonly number[]) => {
      const key = listed.filter((number) => number !== 0).join();
      const found = known.get(key);
      if (found !== undefined) return found;
      const made = judged([...new Set(listed.flatMap((number) => lists[number] ?? []))].sort());
      known.set(key, made);
      return made;
    },
  };
}
