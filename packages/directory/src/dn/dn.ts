import { canonicalType } from '@overtone/contracts/dn-text';

/** One `type=value` of a DN. A value that is no text is kept as bytes. */
type Ava = {
  readonly type: string;
  readonly value: string | Buffer;
};

/** The relative names of a DN from the entry up to the root; each is a set. */
type Dn = readonly (readonly Ava[])[];

/** A text that is no DN. */
export class NoDn extends Error {
  override readonly name = 'NoDn';
}

/**
 * Equality of RFC 4514 and RFC 4517: attribute types by name or OID, values without regard to case, width and
 * insignificant spaces, with escapes and quotes resolved, relative names as sets. A text that is no DN equals nothing.
 */
export function sameDn(left: string, right: string): boolean {
  const canonical = tryCanonicalDn(left);
  return canonical !== undefined && canonical === tryCanonicalDn(right);
}

/**
 * One text for all spellings of a DN.
 * @throws NoDn
 */
export function canonicalDn(dn: string): string {
  const parsed = parseDn(dn);
  if (parsed.length === 0) throw new NoDn('Enter a distinguished name.');
  return parsed.map(canonicalRdn).join(',');
}

/** Like `canonicalDn`, but undefined for a text that is no DN. */
export function tryCanonicalDn(dn: string): string | undefined {
  try {
    return canonicalDn(dn);
  } catch {
    return undefined;
  }
}

/** Whether an entry is the base or below it. */
export function isWithin(dn: string, base: string): boolean {
  if (base.trim() === '') return true;
  const [entry, top] = [tryCanonicalDn(dn), tryCanonicalDn(base)];
  return entry !== undefined && top !== undefined && (entry === top || entry.endsWith(`,${top}`));
}

/**
 * Parses a DN, including the syntax of RFC 2253 (quotes, spaces around separators, `OID.`).
 * @throws NoDn
 */
export function parseDn(text: string): Dn {
  const rdns: Ava[][] = [];
  if (text.trim() === '') return rdns;
  const cursor = { text, at: 0 };
  for (let rdn: Ava[] = []; ;) {
    rdn.push(readAva(cursor));
    const separator = cursor.text[cursor.at];
    cursor.at += 1;
    if (separator === '+') continue;
    rdns.push(rdn);
    rdn = [];
    if (separator === undefined) return rdns;
  }
}

type Cursor = {
  readonly text: string;
  at: number;
};

const ava = /\s*([A-Za-z][A-Za-z0-9-]*|(?:OID\.)?\d+(?:\.\d+)+)\s*=\s*/iy;

function readAva(cursor: Cursor): Ava {
  ava.lastIndex = cursor.at;
  const head = ava.exec(cursor.text);
  if (head?.[1] === undefined) throw new NoDn(`No attribute name and "=" at character ${cursor.at + 1}.`);
  cursor.at = ava.lastIndex;
  const type = canonicalType(head[1]);
  const first = cursor.text[cursor.at];
  if (first === '#') return { type, value: readHex(cursor) };
  return { type, value: asText(first === '"' ? readQuoted(cursor) : readPlain(cursor)) };
}

// The value ends before an unescaped separator; surrounding unescaped spaces are trimmed.
function readPlain(cursor: Cursor): Buffer {
  const parts: Buffer[] = [];
  let pending = '';
  let trailing = '';
  for (
    let character = cursor.text[cursor.at];
    character !== undefined && character !== ',' && character !== '+';
    character = cursor.text[cursor.at]
  ) {
    if (character === ';' || character === '"' || character === '<' || character === '>' || character === '\0') {
      throw new NoDn(`"${character}" must be escaped, at character ${cursor.at + 1}.`);
    }
    if (character === '\\') {
      parts.push(Buffer.from(pending + trailing), readEscape(cursor));
      pending = trailing = '';
      continue;
    }
    cursor.at += 1;
    if (/\s/.test(character)) trailing += character;
    else {
      pending += trailing + character;
      trailing = '';
    }
  }
  return Buffer.concat([...parts, Buffer.from(pending)]);
}

function readQuoted(cursor: Cursor): Buffer {
  const parts: Buffer[] = [];
  let pending = '';
  cursor.at += 1;
  for (;;) {
    const character = cursor.text[cursor.at];
    if (character === undefined) throw new NoDn('A quoted value does not end.');
    if (character === '\\') {
      parts.push(Buffer.from(pending), readEscape(cursor));
      pending = '';
      continue;
    }
    cursor.at += 1;
    if (character === '"') break;
    pending += character;
  }
  expectSeparator(cursor);
  return Buffer.concat([...parts, Buffer.from(pending)]);
}

function readEscape(cursor: Cursor): Buffer {
  const pair = cursor.text.slice(cursor.at + 1, cursor.at + 3);
  if (/^[0-9a-f]{2}$/i.test(pair)) {
    cursor.at += 3;
    return Buffer.from(pair, 'hex');
  }
  const character = pair[0];
  if (character === undefined || !' "#+,;<=>\\'.includes(character))
    throw new NoDn(`An escape of nothing at character ${cursor.at + 1}.`);
  cursor.at += 2;
  return Buffer.from(character);
}

function readHex(cursor: Cursor): string | Buffer {
  const hex = /^(?:[0-9a-f]{2})+/i.exec(cursor.text.slice(cursor.at + 1))?.[0];
  if (hex === undefined) throw new NoDn(`"#" without hexadecimal digits at character ${cursor.at + 1}.`);
  cursor.at += 1 + hex.length;
  expectSeparator(cursor);
  return unwrap(Buffer.from(hex, 'hex'));
}

function expectSeparator(cursor: Cursor): void {
  while (/\s/.test(cursor.text[cursor.at] ?? '')) cursor.at += 1;
  const character = cursor.text[cursor.at];
  if (character !== undefined && character !== ',' && character !== '+')
    throw new NoDn(`Unexpected "${character}" at character ${cursor.at + 1}.`);
}

// The strings of ASN.1 whose content is the text itself: octet, UTF-8, printable, IA5.
const stringTags = new Set([0x04, 0x0c, 0x13, 0x16]);

/** A BER value that is a string is compared as text, all others as bytes. */
function unwrap(encoded: Buffer): string | Buffer {
  const [tag, length] = encoded;
  const plain = tag !== undefined && stringTags.has(tag) && length !== undefined && length === encoded.length - 2;
  return plain && length < 0x80 ? asText(encoded.subarray(2)) : encoded;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function asText(bytes: Buffer): string | Buffer {
  try {
    return utf8.decode(bytes);
  } catch {
    return bytes;
  }
}

function canonicalRdn(rdn: readonly Ava[]): string {
  return rdn
    .map(
      ({ type, value }) =>
        `${type}=${typeof value === 'string' ? escaped(folded(value)) : `#${value.toString('hex')}`}`,
    )
    .sort()
    .join('+');
}

// RFC 4518: removes invisible characters, applies NFKC and case folding, and collapses spaces. Simple case folding, like
// directories use it, so that two groups that are distinct in a directory stay distinct.
const unseen = /\p{Default_Ignorable_Code_Point}|(?![\s\u0085])\p{Cc}/gu;

/** A value as `caseIgnoreMatch` compares it. */
export function folded(text: string): string {
  return text
    .replace(unseen, '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKC')
    .replace(/[\s\u0085]+/g, ' ')
    .trim();
}

function escaped(text: string): string {
  return text.replace(/[,+"\\<>;=#]/g, (match) => `\\${match}`);
}
