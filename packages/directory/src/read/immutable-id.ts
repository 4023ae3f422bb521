import { textOf } from './attributes.ts';
import { DirectoryFailure } from '../wire/failures.ts';
import { bytesOf, type Entry } from '../wire/entry.ts';

// The order is fixed: an upgrade of a directory that adds `entryUUID` must not change the ids of existing persons.
const kinds = [
  { name: 'objectGUID', read: guid },
  { name: 'ipaUniqueID', read: words },
  { name: 'nsUniqueId', read: words },
  { name: 'GUID', read: hex },
  { name: 'entryUUID', read: words },
] as const;

/** The attributes of all immutable ids. */
export const idAttributes: readonly string[] = kinds.map(({ name }) => name);

/** The immutable id of an entry, which survives renames and moves, with its attribute. */
export function immutableIdOf(entry: Entry): string | null {
  for (const { name, read } of kinds) {
    const value = read(entry, name);
    if (value !== undefined) return `${name}:${value}`;
  }
  return null;
}

/**
 * The attribute and the value of a search by id.
 * @throws DirectoryFailure for an id of an unknown kind
 */
export function idValue(id: string): { attribute: string; value: string | Buffer } {
  const [attribute, value] = [id.slice(0, id.indexOf(':')), id.slice(id.indexOf(':') + 1)];
  if (!idAttributes.includes(attribute)) throw new DirectoryFailure('config', 'An immutable id of an unknown kind');
  if (attribute === 'GUID') return { attribute, value: Buffer.from(value, 'hex') };
  return { attribute, value: attribute === 'objectGUID' ? guidBytes(value) : value };
}

function guidBytes(text: string): Buffer {
  const [first = '', second = '', third = '', ...rest] = text.split('-');
  const little = [first, second, third].map((part) => Buffer.from(part, 'hex').toReversed());
  return Buffer.concat([...little, Buffer.from(rest.join(''), 'hex')]);
}

function words(entry: Entry, name: string): string | undefined {
  return textOf(entry, name)?.toLowerCase();
}

function hex(entry: Entry, name: string): string | undefined {
  return bytesOf(entry, name)[0]?.toString('hex');
}

// The first three groups of Active Directory's GUIDs are little-endian.
function guid(entry: Entry, name: string): string | undefined {
  const bytes = bytesOf(entry, name)[0];
  if (bytes === undefined) return undefined;
  if (bytes.length !== 16) throw new DirectoryFailure('protocol', 'objectGUID has not 16 bytes');
  const part = (start: number, end: number) => bytes.toString('hex', start, end);
  const swapped = (start: number, end: number) => Buffer.from(bytes.subarray(start, end).toReversed()).toString('hex');
  return [swapped(0, 4), swapped(4, 6), swapped(6, 8), part(8, 10), part(10, 16)].join('-');
}
