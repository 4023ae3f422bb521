import { stateAttributes } from './account-state.ts';
import type { Clock } from './clock.ts';
import { DirectoryFailure } from '../wire/failures.ts';
import { userFilterOf } from '../filter/filter-template.ts';
import { groupAttributes } from './groups.ts';
import { idAttributes } from './immutable-id.ts';
import type { DirectoryConfig } from '../model.ts';
import type { Reach } from './reach.ts';
import { searchSnapshot, type SnapshotSearch } from './snapshot-search.ts';
import { createReader, type SnapshotPerson } from './snapshot-reader.ts';

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
  const attributes = [config.usernameAttr, config.emailAttr, ...idAttributes, ...stateAttributes, ...groupAttributes];
  const pages = searchSnapshot(search, {
    base: config.searchBase,
    scope: 'sub',
    filter: userFilterOf(config).forAllUsers(),
    attributes: [...new Set(options.listed ? [...attributes, config.groupAttr] : attributes)],
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
