import { headerBytes, oidOf, readElement, readElements, tags, timeOf, type Element } from './der.ts';
import { nameKeyOf, readName } from './names.ts';
import { createSerialCollector, type SerialSet } from './serial-set.ts';

/** A revocation list (RFC 5280 section 5) in a form that can be transferred between threads. */
export type RevocationList = {
  /** Name of the issuer, in the form of `nameKeyOf`. */
  issuer: string;
  thisUpdate: number;
  /** Undefined: the list has no end of validity. */
  nextUpdate: number | undefined;
  serials: SerialSet;
  /**
   * Partial: a critical extension limits the list (a delta, one distribution point); it can revoke but not prove that a
   * certificate is good. Indirect: its entries may belong to certificates of other authorities.
   */
  scope: 'full' | 'partial' | 'indirect';
  /** DER of the AlgorithmIdentifier, and the signed bytes; needed until the signature has been verified once. */
  algorithm: Uint8Array<ArrayBuffer>;
  signed: Uint8Array<ArrayBuffer>;
  signature: Uint8Array<ArrayBuffer>;
};

export type ListLimits = { bytes: number; lists: number };
/** A million entries with reason codes take some 50 MB. */
export const listLimits: ListLimits = { bytes: 128 * 1024 * 1024, lists: 16 };

/** Far above the size of any entry or header field. */
const maxElementBytes = 65_536;

const deltaIndicator = '2.5.29.27';
const reasonCode = '2.5.29.21';
const invalidityDate = '2.5.29.24';
const certificateIssuer = '2.5.29.29';
const removeFromCrl = 8;

type Extension = { oid: string; critical: boolean; value: Element };

type Body = { bytes: Buffer<ArrayBuffer>; filled: () => number };

const pemBegin = '-----BEGIN X509 CRL-----';
const pemEnd = '-----END X509 CRL-----';

/**
 * Parses all lists of a PEM text, or one list in DER, in parts of any size.
 * Both functions throw an Error when the bytes are not a revocation list.
 */
export function createListParser(limits: ListLimits = listLimits) {
  const lists: RevocationList[] = [];
  let form: 'pem' | 'der' | undefined;
  let reader: ReturnType<typeof createListReader> | undefined;
  let text = '';

  const open = () => {
    if (lists.length >= limits.lists) throw new Error(`there are more than ${limits.lists} lists`);
    return createListReader(limits);
  };
  const close = (): void => {
    lists.push((reader as ReturnType<typeof createListReader>).end());
    reader = undefined;
  };
  const decode = (base64: string): void => {
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) throw new Error('the PEM text is no base64');
    reader?.push(Buffer.from(base64, 'base64'));
  };
  /** Parses the complete part of `text`, and keeps the rest. */
  const parseText = (): void => {
    for (;;) {
      if (!reader) {
        const at = text.indexOf(pemBegin);
        if (at < 0) {
          text = text.slice(-pemBegin.length);
          return;
        }
        text = text.slice(at + pemBegin.length);
        reader = open();
      }
      const dash = text.indexOf('-');
      const base64 = (dash < 0 ? text : text.slice(0, dash)).replaceAll(/\s+/g, '');
      const usable = dash < 0 ? base64.length - (base64.length % 4) : base64.length;
      decode(base64.slice(0, usable));
      text = base64.slice(usable) + (dash < 0 ? '' : text.slice(dash));
      if (dash < 0 || text.length < pemEnd.length) return;
      if (!text.startsWith(pemEnd)) throw new Error('the PEM text does not end');
      text = text.slice(pemEnd.length);
      close();
    }
  };

  return {
    push: (chunk: Uint8Array): void => {
      if (chunk.length === 0) return;
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      form ??= bytes[0] === tags.sequence ? 'der' : 'pem';
      if (form === 'der') {
        reader ??= open();
        reader.push(bytes);
      } else {
        text += bytes.toString('latin1');
        parseText();
      }
    },
    end: (): RevocationList[] => {
      if (reader && form === 'pem') throw new Error('the PEM text does not end');
      if (reader) close();
      if (lists.length === 0) throw new Error('there is no revocation list');
      return lists;
    },
  };
}

/** Parses complete lists. @throws Error */
export function parseLists(bytes: Uint8Array): RevocationList[] {
  const parser = createListParser();
  parser.push(bytes);
  return parser.end();
}

/** Parses one list in DER that arrives in parts. */
function createListReader(limits: ListLimits) {
  let head = Buffer.alloc(0);
  let bytes: Buffer<ArrayBuffer> | undefined;
  let filled = 0;
  let steps: Generator<undefined, RevocationList> | undefined;
  let read: RevocationList | undefined;

  const begin = (): boolean => {
    if (head.length < headerBytes) return false;
    const { end } = readElement(head, 0, Number.MAX_SAFE_INTEGER);
    if (end > limits.bytes) throw new Error(`the list is longer than ${limits.bytes} bytes`);
    bytes = Buffer.from(new ArrayBuffer(end));
    steps = readList({ bytes, filled: () => filled });
    return true;
  };
  return {
    push: (chunk: Buffer): void => {
      let rest = chunk;
      if (!bytes) {
        head = Buffer.concat([head, chunk]);
        if (!begin()) return;
        rest = head;
      }
      const into = bytes as unknown as Buffer;
      if (filled + rest.length > into.length) throw new Error('bytes follow the list');
      rest.copy(into, filled);
      filled += rest.length;
      const step = read ? undefined : steps?.next();
      if (step?.done) read = step.value;
    },
    end: (): RevocationList => {
      if (!read) throw new Error('the list pemEnd too early');
      return read;
    },
  };
}

/**
 * Parses one list while its bytes arrive; yields when it needs more. Entries are parsed one by one, without a tree of
 * nodes. @throws Error: the bytes are not a revocation list.
 */
function* readList({ bytes, filled }: Body): Generator<undefined, RevocationList> {
  /** Waits until an element is complete, and reads it. */
  function* readComplete(at: number, limit: number): Generator<undefined, Element> {
    while (filled() < Math.min(at + headerBytes, limit)) yield;
    const element = readElement(bytes, at, limit);
    if (element.end - at > maxElementBytes) throw new Error('an element of the list is too long');
    while (filled() < element.end) yield;
    return element;
  }
  function* openSequence(at: number, limit: number): Generator<undefined, Element> {
    while (filled() < Math.min(at + headerBytes, limit)) yield;
    const element = readElement(bytes, at, limit);
    if (element.tag !== tags.sequence) throw new Error('no sequence');
    return element;
  }

  const list = yield* openSequence(0, bytes.length);
  const tbs = yield* openSequence(list.content, list.end);
  // Version (optional), signature, issuer, thisUpdate.
  let part = yield* readComplete(tbs.content, tbs.end);
  if (part.tag === tags.integer) part = yield* readComplete(part.end, tbs.end);
  const inner = part;
  const issuer = yield* readComplete(inner.end, tbs.end);
  if (inner.tag !== tags.sequence || issuer.tag !== tags.sequence) throw new Error('no revocation list');
  const issued = yield* readComplete(issuer.end, tbs.end);
  const thisUpdate = timeOf(bytes, issued);
  let at = issued.end;

  let nextUpdate: number | undefined;
  let scope: RevocationList['scope'] = 'full';
  const collector = createSerialCollector();
  const limit = (to: RevocationList['scope']): void => {
    if (scope !== 'indirect') scope = to;
  };

  const takeEntry = (entry: Element): void => {
    const [serial, , extensions] = readElements(bytes, entry.content, entry.end);
    if (entry.tag !== tags.sequence || serial?.tag !== tags.integer) throw new Error('no entry of a revocation list');
    let removed = false;
    for (const { oid, critical, value } of extensions ? extensionsOf(bytes, extensions) : []) {
      if (oid === certificateIssuer) limit('indirect');
      else if (oid === reasonCode) removed = bytes[value.end - 1] === removeFromCrl;
      else if (critical && oid !== invalidityDate) limit('partial');
    }
    if (!removed) collector.add(bytes, serial.content, serial.end);
  };

  while (at < tbs.end) {
    while (filled() < Math.min(at + headerBytes, tbs.end)) yield;
    const next = readElement(bytes, at, tbs.end);
    at = next.end;
    if (next.tag === tags.utcTime || next.tag === tags.generalizedTime) {
      if (nextUpdate !== undefined) throw new Error('no revocation list');
      nextUpdate = timeOf(bytes, yield* readComplete(next.start, tbs.end));
    } else if (next.tag === tags.sequence) {
      for (let entryAt = next.content; entryAt < next.end;) {
        while (filled() < Math.min(entryAt + headerBytes, next.end)) yield;
        const entry = readElement(bytes, entryAt, next.end);
        if (entry.end - entryAt > maxElementBytes) throw new Error('an entry of the list is too long');
        while (filled() < entry.end) yield;
        takeEntry(entry);
        entryAt = entry.end;
      }
    } else if (next.tag === 0xa0) {
      const wrapped = yield* readComplete(next.start, tbs.end);
      for (const { oid, critical, value } of extensionsOf(bytes, readElement(bytes, wrapped.content, wrapped.end))) {
        if (oid === deltaIndicator || critical) limit('partial');
        if (oid === '2.5.29.28' && isIndirect(bytes, value)) limit('indirect');
      }
    } else throw new Error('no revocation list');
  }

  const algorithm = yield* readComplete(tbs.end, list.end);
  const signature = yield* readComplete(algorithm.end, list.end);
  if (!bytes.subarray(inner.start, inner.end).equals(bytes.subarray(algorithm.start, algorithm.end)))
    throw new Error('the list names two signature algorithms');
  if (signature.tag !== tags.bitString || bytes[signature.content] !== 0 || signature.end !== list.end)
    throw new Error('the list has no signature');
  return {
    issuer: nameKeyOf(readName(bytes.subarray(issuer.start, issuer.end))),
    thisUpdate,
    nextUpdate,
    serials: collector.toSet(),
    scope,
    algorithm: Uint8Array.from(bytes.subarray(algorithm.start, algorithm.end)),
    // No copy: the list is long.
    signed: bytes.subarray(tbs.start, tbs.end),
    signature: Uint8Array.from(bytes.subarray(signature.content + 1, signature.end)),
  };
}

function extensionsOf(bytes: Uint8Array, sequence: Element): Extension[] {
  return readElements(bytes, sequence.content, sequence.end).map((extension) => {
    const [id, ...rest] = readElements(bytes, extension.content, extension.end);
    const value = rest.at(-1);
    if (!id || value?.tag !== tags.octetString) throw new Error('no extension');
    const critical = rest.length > 1 && bytes[(rest[0] as Element).content] !== 0;
    return { oid: oidOf(bytes, id), critical, value };
  });
}

/** IssuingDistributionPoint, field [4]: RFC 5280 section 5.2.5. */
function isIndirect(bytes: Uint8Array, { content, end }: Element): boolean {
  const point = readElement(bytes, content, end);
  return readElements(bytes, point.content, point.end).some(
    (element) => element.tag === 0x84 && bytes[element.content] !== 0,
  );
}
