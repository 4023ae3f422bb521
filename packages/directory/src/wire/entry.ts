import { contentAt, endAt, tags } from './ber.ts';
import { createInterned } from './interned.ts';

/** An entry of a search result; attribute names in lower case, values as bytes. */
export type Entry = {
  readonly dn: string;
  readonly attributes: ReadonlyMap<string, readonly Buffer[]>;
};

// Every entry contains the server's spelling of its attribute names.
const nameOf = createInterned((text) => text.toLowerCase(), 1_000);
const lowered = new Map<string, string>();

/** Attributes are parsed on demand: most attributes of a large directory are never read. */
class Received implements Entry {
  readonly #dn: Buffer;
  readonly bytes: Buffer;
  /** Names, each with the start and end of its values. */
  readonly names: string[] = [];
  readonly #spans: number[] = [];
  #attributes: Map<string, readonly Buffer[]> | undefined;

  constructor(dn: Buffer, list: Buffer) {
    this.#dn = dn;
    this.bytes = list;
    for (let at = 0; at < list.length;) {
      const end = endAfter(list, at, list.length, tags.sequence);
      const name = contentAt(list, at, list.length, tags.sequence);
      const nameStart = contentAt(list, name, end, tags.octets);
      const set = endAt(list, name);
      const start = contentAt(list, set, end, tags.set);
      const setEnd = endAt(list, set);
      for (let value = start; value < setEnd;) value = endAfter(list, value, setEnd, tags.octets);
      this.names.push(nameOf(list, nameStart, set));
      this.#spans.push(start, setEnd);
      at = end;
    }
  }

  get dn(): string {
    return this.#dn.toString('utf8');
  }

  get attributes(): ReadonlyMap<string, readonly Buffer[]> {
    this.#attributes ??= new Map(this.names.map((name) => [name, this.values(name)]));
    return this.#attributes;
  }

  /** Calls the function with the start and end of each value. */
  each(name: string, visit: (bytes: Buffer, start: number, end: number) => void): void {
    for (let i = 0; i < this.names.length; i++) {
      if (this.names[i] !== name) continue;
      const setEnd = this.#spans[2 * i + 1]!;
      for (let at = this.#spans[2 * i]!; at < setEnd;) {
        const end = endAt(this.bytes, at);
        visit(this.bytes, contentAt(this.bytes, at, setEnd, tags.octets), end);
        at = end;
      }
    }
  }

  values(name: string): Buffer[] {
    if (!this.names.includes(name)) return none;
    const values: Buffer[] = [];
    this.each(name, (bytes, start, end) => void values.push(bytes.subarray(start, end)));
    return values;
  }
}

const none: Buffer[] = [];

/**
 * Creates an entry from the bytes of its name and of its attribute list.
 * @throws Malformed for bytes that violate the protocol.
 */
export function receive(dn: Buffer, list: Buffer): Entry {
  return new Received(dn, list);
}

/** The values of an attribute as bytes; none when it is absent. */
export function bytesOf(entry: Entry, name: string): readonly Buffer[] {
  return entry instanceof Received ? entry.values(lower(name)) : (entry.attributes.get(lower(name)) ?? none);
}

/** The names of its attributes, in lower case. */
export function namesOf(entry: Entry): Iterable<string> {
  return entry instanceof Received ? entry.names : entry.attributes.keys();
}

/** The values of an attribute, without a buffer for each. */
export function eachValue(
  entry: Entry,
  name: string,
  visit: (bytes: Buffer, start: number, end: number) => void,
): void {
  if (entry instanceof Received) entry.each(lower(name), visit);
  else for (const value of bytesOf(entry, name)) visit(value, 0, value.length);
}

function lower(name: string): string {
  const known = lowered.get(name);
  if (known !== undefined) return known;
  if (lowered.size >= 1_000) lowered.clear();
  const made = name.toLowerCase();
  lowered.set(name, made);
  return made;
}

function endAfter(bytes: Buffer, at: number, limit: number, tag: number): number {
  contentAt(bytes, at, limit, tag);
  return endAt(bytes, at);
}
