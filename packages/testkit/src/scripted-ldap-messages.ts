// LDAP's messages by hand, so that a test can write every byte of them, wrong ones too.

/** One element around others. */
export function ber(tag: number, ...contents: readonly (Uint8Array | string)[]): Buffer {
  const content = Buffer.concat(contents.map((content) => Buffer.from(content as string)));
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const head = Buffer.from([tag, 0x84, 0, 0, 0, 0]);
  head.writeUInt32BE(length, 2);
  return Buffer.concat([head, content]);
}

/** A number as the content of an element. */
export function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** A whole message. */
export function message(id: number, operation: Buffer, controls: readonly Buffer[] = []): Buffer {
  return ber(0x30, ber(0x02, number(id)), operation, ...(controls.length > 0 ? [ber(0xa0, ...controls)] : []));
}

/** How an operation ended, as the body of `tag`. */
export function result(tag: number, code: number, { diagnostic = '', more = [] as readonly Buffer[] } = {}): Buffer {
  return ber(tag, ber(0x0a, Buffer.from([code])), ber(0x04), ber(0x04, diagnostic), ...more);
}

/** Operations of answers. */
export const answers = { bind: 0x61, entry: 0x64, done: 0x65, reference: 0x73, extended: 0x78 } as const;

/** What an entry holds: text or bytes, one or several values an attribute. */
export type Attributes = Readonly<Record<string, string | Buffer | readonly (string | Buffer)[]>>;

/** An entry of an answer. */
export function entry(dn: string, attributes: Attributes): Buffer {
  const list = Object.entries(attributes).map(([name, value]) => {
    const values = Array.isArray(value) ? (value as readonly (string | Buffer)[]) : [value as string | Buffer];
    return ber(0x30, ber(0x04, name), ber(0x31, ...values.map((value) => ber(0x04, value))));
  });
  return ber(answers.entry, ber(0x04, dn), ber(0x30, ...list));
}

/** A reference to another server. */
export function reference(...urls: string[]): Buffer {
  return ber(answers.reference, ...urls.map((url) => ber(0x04, url)));
}

/** The control of a page: the cookie of the next, empty after the last. */
export function pageControl(cookie: Uint8Array | string): Buffer {
  return ber(
    0x30,
    ber(0x04, '1.2.840.113556.1.4.319'),
    ber(0x04, ber(0x30, ber(0x02, Buffer.from([0])), ber(0x04, cookie))),
  );
}

/** What a client asked. */
export type Asked =
  | { readonly kind: 'bind'; readonly id: number; readonly dn: string; readonly password: string }
  | {
      readonly kind: 'search';
      readonly id: number;
      readonly base: string;
      readonly scope: number;
      readonly sizeLimit: number;
      readonly filter: AskedFilter;
      readonly attributes: readonly string[];
      readonly page: { readonly size: number; readonly cookie: Buffer } | undefined;
    }
  | { readonly kind: 'extended'; readonly id: number; readonly oid: string }
  | { readonly kind: 'unbind'; readonly id: number };

/** A filter as it came over the wire. */
export type AskedFilter =
  | { readonly kind: 'and' | 'or'; readonly of: readonly AskedFilter[] }
  | { readonly kind: 'not'; readonly of: AskedFilter }
  | { readonly kind: 'equal'; readonly attribute: string; readonly value: Buffer }
  | { readonly kind: 'present'; readonly attribute: string }
  | { readonly kind: 'other'; readonly tag: number };

type Element = {
  readonly tag: number;
  readonly content: Buffer;
};

/** The elements that stand side by side in the bytes. */
export function elements(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const { start, end } = extent(bytes, at);
    found.push({ tag: bytes[at]!, content: bytes.subarray(start, end) });
    at = end;
  }
  return found;
}

/** Where the content of an element stands; the end may lie beyond the bytes. */
export function extent(bytes: Buffer, at: number): { start: number; end: number } {
  const first = bytes[at + 1] ?? 0;
  if (first < 0x80) return { start: at + 2, end: at + 2 + first };
  const count = first & 0x7f;
  if (at + 2 + count > bytes.length) return { start: at + 2, end: Number.POSITIVE_INFINITY };
  const start = at + 2 + count;
  return { start, end: start + bytes.readUIntBE(at + 2, count) };
}

/** Reads a request. */
export function readRequest(bytes: Buffer): Asked {
  const [idElement, operation, controls] = elements(elements(bytes)[0]!.content);
  const id = idElement!.content.readIntBE(0, idElement!.content.length);
  const { tag, content } = operation!;
  if (tag === 0x42) return { kind: 'unbind', id };
  const parts = elements(content);
  const text = (at: number) => parts[at]!.content.toString();
  if (tag === 0x77) return { kind: 'extended', id, oid: text(0) };
  if (tag === 0x60) return { kind: 'bind', id, dn: text(1), password: text(2) };
  return {
    kind: 'search',
    id,
    base: text(0),
    scope: parts[1]!.content[0]!,
    sizeLimit: parts[3]!.content.readIntBE(0, parts[3]!.content.length),
    filter: readFilter(parts[6]!),
    attributes: elements(parts[7]!.content).map((element) => element.content.toString()),
    page: controls === undefined ? undefined : readPage(controls.content),
  };
}

function readFilter({ tag, content }: Element): AskedFilter {
  if (tag === 0xa0 || tag === 0xa1) return { kind: tag === 0xa0 ? 'and' : 'or', of: elements(content).map(readFilter) };
  if (tag === 0xa2) return { kind: 'not', of: readFilter(elements(content)[0]!) };
  if (tag === 0x87) return { kind: 'present', attribute: content.toString() };
  if (tag !== 0xa3) return { kind: 'other', tag };
  const [attribute, value] = elements(content);
  return { kind: 'equal', attribute: attribute!.content.toString(), value: value!.content };
}

function readPage(controls: Buffer): { size: number; cookie: Buffer } | undefined {
  for (const control of elements(controls)) {
    const parts = elements(control.content);
    if (parts[0]!.content.toString() !== '1.2.840.113556.1.4.319') continue;
    const [size, cookie] = elements(elements(parts.at(-1)!.content)[0]!.content);
    return { size: size!.content.readIntBE(0, size!.content.length), cookie: cookie!.content };
  }
  return undefined;
}
