/** Bytes that violate the protocol. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}

/** One element: its tag and the position of its content. */
export type Element = {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
};

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  octets: 0x04,
  enumerated: 0x0a,
  sequence: 0x30,
  set: 0x31,
} as const;

/**
 * The head of an element: start and end of its content, or undefined while bytes are missing. The end may be beyond the
 * available bytes.
 * @throws Malformed for long tags, indefinite lengths and lengths of more than four bytes, which LDAP does not allow.
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
 * The start of the content of the element at a position, without an allocation; it ends at `endAt`, within the limit.
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

/** The end of an element whose head was read by `contentAt`. */
export function endAt(bytes: Buffer, at: number): number {
  const first = bytes[at + 1]!;
  if (first < 0x80) return at + 2 + first;
  const count = first & 0x7f;
  return at + 2 + count + bytes.readUIntBE(at + 2, count);
}

/** Reads elements in sequence; each must be complete and within its parent. */
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

/** An element that contains others. */
export function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const size = content.length;
  if (size < 0x80) return Buffer.concat([Buffer.from([tag, size]), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(size);
  return Buffer.concat([Buffer.from([tag, 0x84]), length, content]);
}

/** A non-negative number. */
export function integer(value: number, tag: number = tags.integer): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(value, 1);
  const first = [0, 1, 2, 3].find((i) => bytes[i] !== 0 || bytes[i + 1]! >= 0x80) ?? 4;
  return element(tag, bytes.subarray(first));
}

export function truth(value: boolean): Buffer {
  return element(tags.boolean, Buffer.from([value ? 0xff : 0]));
}
