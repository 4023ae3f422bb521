import { searchOrFail, type Connection } from '../wire/connection.ts';
import type { Deadline } from '../wire/deadline.ts';
import { DirectoryFailure } from '../wire/failures.ts';
import { present } from '../filter/filter.ts';
import { bytesOf, namesOf, type Entry } from '../wire/entry.ts';

const maxSlices = 10_000;

/**
 * All values of an attribute, including range retrieval of Active Directory (MS-ADTS 3.1.1.3.1.3.3). The ranges must be
 * contiguous up to the last one.
 * @throws DirectoryFailure
 */
export async function allValues(
  connection: Connection,
  entry: Entry,
  { attribute, deadline }: { attribute: string; deadline: Deadline },
): Promise<Buffer[]> {
  const values = [...bytesOf(entry, attribute)];
  let slice = sliceOf(entry, attribute);
  for (let slices = 0; slice !== undefined; slices += 1) {
    if (slice.from !== values.length || slices > maxSlices) throw broken(attribute);
    values.push(...slice.values);
    if (slice.last) return values;
    if (slice.values.length === 0) throw broken(attribute);
    slice = sliceOf(await next(connection, { entry, attribute, from: values.length, deadline }), attribute);
    if (slice === undefined) throw broken(attribute);
  }
  return values;
}

/** Whether the server returned a range of the values. */
export function isSliced(entry: Entry, attribute: string): boolean {
  return sliceOf(entry, attribute) !== undefined;
}

type Slice = {
  readonly from: number;
  readonly last: boolean;
  readonly values: readonly Buffer[];
};

function sliceOf(entry: Entry, attribute: string): Slice | undefined {
  const prefix = `${attribute.toLowerCase()};range=`;
  for (const name of namesOf(entry)) {
    if (!name.startsWith(prefix)) continue;
    const [, from, to] = /^(\d+)-(\d+|\*)$/.exec(name.slice(prefix.length)) ?? [];
    if (from === undefined) throw broken(attribute);
    return { from: Number(from), last: to === '*', values: bytesOf(entry, name) };
  }
  return undefined;
}

async function next(
  connection: Connection,
  { entry, attribute, from, deadline }: { entry: Entry; attribute: string; from: number; deadline: Deadline },
): Promise<Entry> {
  const found = await searchOrFail(
    connection,
    {
      base: entry.dn,
      scope: 'base',
      filter: present('objectClass'),
      attributes: [`${attribute};range=${from}-*`],
      maxEntries: 1,
    },
    deadline,
  );
  if (found.entries[0] === undefined) throw broken(attribute);
  return found.entries[0];
}

function broken(attribute: string): DirectoryFailure {
  return new DirectoryFailure('protocol', `The server's slices of ${attribute} do not fit together`);
}
