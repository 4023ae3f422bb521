/** Bytes that are not what the protocol says. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}

/** One element: its tag and where its content stands. */
export interface Element {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  octets: 0x04,
  enumerated: 0x0a,
  sequence: 0x30,
  set: 0x31,
} as const;

/**
 * The head of an element: where its content starts and ends, or nothing while bytes are missing. The end may lie beyond
 * the bytes there are.
 * @throws Malformed for what LDAP does not allow: long tags, indefinite lengths, lengths of more than four bytes.
 */
export function readHead(bytes: Buffer, at: number, limit = bytes.length): Element | undefined {
  if (at + 2 > limit) return undefined;
  const tag = bytes[at]!;
  if ((tag & 0x1f) === 0x1f) throw new Malformed('A tag of several bytes.');
  const first = bytes[at + 1]!;
  if (first < 0x80) return { tag, start: at + 2, end: at + 2 + first };
  const count = first & 0x7f;
  if (count === 0 || count > 4) throw new Malformed('A length that LDAP does not allow.');
  if (at + 2 + count > limit) return undefined;
  const start = at + 2 + count;
  return { tag, start, end: start + bytes.readUIntBE(at + 2, count) };
}

/**
 * Where the content of the element here starts, for walks over many that are to leave nothing behind; it ends at
 * `endAt`, within the limit.
 * @throws Malformed
 */
export function contentAt(bytes: Buffer, at: number, limit: number, tag: number): number {
  if (at + 2 > limit) throw new Malformed('An element ends too early.');
  if (bytes[at] !== tag) throw new Malformed(`Expected 0x${tag.toString(16)}, got 0x${bytes[at]!.toString(16)}.`);
  const first = bytes[at + 1]!;
  const count = first < 0x80 ? 0 : first & 0x7f;
  if (first >= 0x80 && (count === 0 || count > 4)) throw new Malformed('A length that LDAP does not allow.');
  if (at + 2 + count > limit || endAt(bytes, at) > limit) throw new Malformed('An element ends too early.');
  return at + 2 + count;
}

/** Where an element ends whose head was looked at by `contentAt`. */
export function endAt(bytes: Buffer, at: number): number {
  const first = bytes[at + 1]!;
  if (first < 0x80) return at + 2 + first;
  const count = first & 0x7f;
  return at + 2 + count + bytes.readUIntBE(at + 2, count);
}

/** Reads one element after the other; everything must be there and lie within its parent. */
export class Reader {
  #at: number;
  readonly #bytes: Buffer;
  readonly #end: number;

  constructor(bytes: Buffer, { start, end }: { start: number; end: number } = { start: 0, end: bytes.length }) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  /** The tag of the next element. */
  peek(): number | undefined {
    return this.done ? undefined : this.#bytes[this.#at];
  }

  next(tag?: number): Element {
    const element = readHead(this.#bytes, this.#at, this.#end);
    if (element === undefined || element.end > this.#end) throw new Malformed('An element ends too early.');
    if (tag !== undefined && element.tag !== tag) {
      throw new Malformed(`Expected 0x${tag.toString(16)}, got 0x${element.tag.toString(16)}.`);
    }
    this.#at = element.end;
    return element;
  }

  inside(tag: number): Reader {
    return new Reader(this.#bytes, this.next(tag));
  }

  octets(tag: number = tags.octets): Buffer {
    const { start, end } = this.next(tag);
    return this.#bytes.subarray(start, end);
  }

  text(tag: number = tags.octets): string {
    return this.octets(tag).toString('utf8');
  }

  integer(tag: number = tags.integer): number {
    const { start, end } = this.next(tag);
    if (end - start < 1 || end - start > 4) throw new Malformed('An integer of a length that LDAP does not use.');
    return this.#bytes.readIntBE(start, end - start);
  }
}

/** One element around others. */
export function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const size = content.length;
  if (size < 0x80) return Buffer.concat([Buffer.from([tag, size]), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(size);
  return Buffer.concat([Buffer.from([tag, 0x84]), length, content]);
}

/** A number that is not negative. */
export function integer(value: number, tag: number = tags.integer): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(value, 1);
  const first = [0, 1, 2, 3].find((i) => bytes[i] !== 0 || bytes[i + 1]! >= 0x80) ?? 4;
  return element(tag, bytes.subarray(first));
}
