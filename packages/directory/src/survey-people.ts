import { stateAttributes } from './account-state.ts';
import type { Clock } from './clock.ts';
import { DirectoryFailure } from './failures.ts';
import { parseTemplate } from './filter-template.ts';
import type { Filter } from './filter.ts';
import { groupAttributes } from './groups.ts';
import { idAttributes } from './immutable-id.ts';
import type { DirectoryConfig } from './model.ts';
import type { Reach } from './reach.ts';
import { allOf, type Asking } from './survey-asking.ts';
import { createReader, type Surveyed } from './survey-reader.ts';

const MAX_PEOPLE = 5_000_000;
/** Of so many entries an attribute that everybody has must be readable. */
const READABLE = 0.95;

const everybody = (config: DirectoryConfig): Filter =>
  parseTemplate(config.userSearchFilter, { username: config.usernameAttr, email: config.emailAttr }).forEverybody();

interface How {
  readonly reach: Reach;
  readonly listed: boolean;
  readonly each: (person: Surveyed) => void;
  readonly clock: Clock;
}

/** Tells of everybody, and how many of them show what all must have. */
export async function readPeople(asking: Asking, how: How) {
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
      const reading = read(entry);
      const person = reading instanceof Promise ? await reading : reading;
      counts.seen += 1;
      if (person.login !== '') counts.named += 1;
      if (person.id !== null) counts.withId += 1;
      if (person.admitted === 'yes') counts.admitted += 1;
      how.each(person);
    }
  }
}

interface Counts {
  readonly seen: number;
  readonly named: number;
  readonly withId: number;
  readonly admitted: number;
}

/** As evidence: how much of what all must have could be read. */
export const readableWords = ({ seen, named, withId }: Counts, { usernameAttr }: DirectoryConfig): string =>
  `of ${seen} entries ${named} show ${usernameAttr}, ${withId} an immutable id`;

/** A mandatory attribute that only some entries show is hidden by access rules; so is an empty required group. */
function mustBeReadable({ seen, named, withId, admitted }: Counts, config: DirectoryConfig): void {
  if (named < seen * READABLE)
    throw new DirectoryFailure('refused', `The attribute ${config.usernameAttr} is not readable for all users`);
  if (withId > 0 && withId < seen * READABLE)
    throw new DirectoryFailure('refused', 'The immutable id is not readable for all users');
  if (seen > 0 && admitted === 0) throw new DirectoryFailure('refused', 'The required groups have no readable member');
}
