/** A DER element: its tag and the range of its content; the next element begins at `end`. */
export type Element = { tag: number; start: number; content: number; end: number };

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  enumerated: 0x0a,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
} as const;

/** An element has a tag byte and at most five bytes of length. */
export const headerBytes = 6;

/** @throws Error: no element of DER begins here, or it does not end before `limit`. */
export function readElement(bytes: Uint8Array, start: number, limit: number): Element {
  const tag = bytes[start] as number;
  const first = bytes[start + 1] as number;
  if (start + 2 > limit || (tag & 0x1f) === 0x1f) throw new Error('no DER element');
  if (first < 0x80) return within({ tag, start, content: start + 2, end: start + 2 + first }, limit);
  const count = first & 0x7f;
  if (count === 0 || count > 4 || start + 2 + count > limit) throw new Error('no DER length');
  let length = 0;
  for (let i = 0; i < count; i++) length = length * 256 + (bytes[start + 2 + i] as number);
  const content = start + 2 + count;
  return within({ tag, start, content, end: content + length }, limit);
}

function within(element: Element, limit: number): Element {
  if (element.end > limit) throw new Error('a DER element is longer than its container');
  return element;
}

/** The elements between two positions. @throws Error: they do not fill the range. */
export function readElements(bytes: Uint8Array, start: number, limit: number): Element[] {
  const found: Element[] = [];
  for (let position = start; position < limit; position = (found.at(-1) as Element).end)
    found.push(readElement(bytes, position, limit));
  return found;
}

/** The elements in the element that fills `bytes`. @throws Error */
export function readChildren(bytes: Uint8Array, tag: number = tags.sequence): Element[] {
  const outer = readElement(bytes, 0, bytes.length);
  if (outer.tag !== tag || outer.end !== bytes.length) throw new Error('unexpected DER element');
  return readElements(bytes, outer.content, outer.end);
}

/** An object identifier in its dotted form. */
export function oidOf(bytes: Uint8Array, { tag, content, end }: Element): string {
  if (tag !== tags.oid || content === end) throw new Error('no object identifier');
  const arcs: number[] = [];
  let arc = 0;
  for (let i = content; i < end; i++) {
    const byte = bytes[i] as number;
    arc = arc * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      arcs.push(arc);
      arc = 0;
    }
  }
  const first = arcs[0] as number;
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - top * 40, ...arcs.slice(1)].join('.');
}

const utc = /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/;
const generalized = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/;

/** Milliseconds since 1970, by RFC 5280 section 4.1.2.5. @throws Error */
export function timeOf(bytes: Uint8Array, { tag, content, end }: Element): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + content, end - content).toString('latin1');
  const found = tag === tags.utcTime ? utc.exec(text) : tag === tags.generalizedTime ? generalized.exec(text) : null;
  if (!found) throw new Error('no time');
  const [year, month, ...rest] = found.slice(1).map(Number) as [number, number, number, number, number, number];
  const century = tag === tags.generalizedTime ? 0 : year < 50 ? 2000 : 1900;
  return Date.UTC(century + year, month - 1, ...rest);
}
