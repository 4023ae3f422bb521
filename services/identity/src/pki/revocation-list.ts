import { headerBytes, oidOf, readElement, readElements, tags, timeOf, type Element } from './der.ts';
import { createSerialCollector, type SerialSet } from './serial-set.ts';

/** A revocation list (RFC 5280 section 5) in a form that a worker thread can hand over. */
export type RevocationList = {
  thisUpdate: number;
  /** Undefined: the list does not say how long it is valid. */
  nextUpdate: number | undefined;
  serials: SerialSet;
  /**
   * Partial: a critical extension limits what the list says (a delta, some kinds of certificates), so that only what is
   * on it is known. Indirect: its entries may be about certificates of other authorities.
   */
  scope: 'full' | 'partial' | 'indirect';
  /** DER of the AlgorithmIdentifier, and what it signs; needed until the signature has been verified once. */
  algorithm: Uint8Array<ArrayBuffer>;
  signed: Uint8Array<ArrayBuffer>;
  signature: Uint8Array<ArrayBuffer>;
};

export type ListLimits = { bytes: number; lists: number };
/** A million entries with reason codes take some 50 MB. */
export const listLimits: ListLimits = { bytes: 128 * 1024 * 1024, lists: 16 };

/** No entry and no head of a list comes near it. */
const mostElementBytes = 65_536;

const deltaIndicator = '2.5.29.27';
const reasonCode = '2.5.29.21';
const invalidityDate = '2.5.29.24';
const certificateIssuer = '2.5.29.29';
const removeFromCrl = 8;

type Extension = { oid: string; critical: boolean; value: Element };

const extensionsOf = (bytes: Uint8Array, sequence: Element): Extension[] =>
  readElements(bytes, sequence.content, sequence.end).map((extension) => {
    const [id, ...rest] = readElements(bytes, extension.content, extension.end);
    const value = rest.at(-1);
    if (!id || value?.tag !== tags.octetString) throw new Error('no extension');
    const critical = rest.length > 1 && bytes[(rest[0] as Element).content] !== 0;
    return { oid: oidOf(bytes, id), critical, value };
  });

type Body = { bytes: Buffer<ArrayBuffer>; filled: () => number };

/**
 * Reads one list while its bytes arrive: yields when it needs more than there are. Entries are read one by one; no tree
 * of nodes is built. @throws Error: the bytes are no revocation list.
 */
function* readList({ bytes, filled }: Body): Generator<undefined, RevocationList> {
  /** Reads an element as soon as it has arrived as a whole. */
  function* whole(at: number, limit: number): Generator<undefined, Element> {
    while (filled() < Math.min(at + headerBytes, limit)) yield;
    const element = readElement(bytes, at, limit);
    if (element.end - at > mostElementBytes) throw new Error('an element of the list is too long');
    while (filled() < element.end) yield;
    return element;
  }
  function* opened(at: number, limit: number): Generator<undefined, Element> {
    while (filled() < Math.min(at + headerBytes, limit)) yield;
    const element = readElement(bytes, at, limit);
    if (element.tag !== tags.sequence) throw new Error('no sequence');
    return element;
  }

  const list = yield* opened(0, bytes.length);
  const tbs = yield* opened(list.content, list.end);
  // Version (optional), signature, issuer, thisUpdate.
  let part = yield* whole(tbs.content, tbs.end);
  if (part.tag === tags.integer) part = yield* whole(part.end, tbs.end);
  const inner = part;
  const issuer = yield* whole(inner.end, tbs.end);
  if (inner.tag !== tags.sequence || issuer.tag !== tags.sequence) throw new Error('no revocation list');
  const issued = yield* whole(issuer.end, tbs.end);
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
      nextUpdate = timeOf(bytes, yield* whole(next.start, tbs.end));
    } else if (next.tag === tags.sequence) {
      for (let entryAt = next.content; entryAt < next.end;) {
        while (filled() < Math.min(entryAt + headerBytes, next.end)) yield;
        const entry = readElement(bytes, entryAt, next.end);
        if (entry.end - entryAt > mostElementBytes) throw new Error('an entry of the list is too long');
        while (filled() < entry.end) yield;
        takeEntry(entry);
        entryAt = entry.end;
      }
    } else if (next.tag === 0xa0) {
      const wrapped = yield* whole(next.start, tbs.end);
      for (const { oid, critical, value } of extensionsOf(bytes, readElement(bytes, wrapped.content, wrapped.end))) {
        if (oid === deltaIndicator || critical) limit('partial');
        if (oid === '2.5.29.28' && isIndirect(bytes, value)) limit('indirect');
      }
    } else throw new Error('no revocation list');
  }

  const algorithm = yield* whole(tbs.end, list.end);
  const signature = yield* whole(algorithm.end, list.end);
  if (!bytes.subarray(inner.start, inner.end).equals(bytes.subarray(algorithm.start, algorithm.end)))
    throw new Error('the list names two signature algorithms');
  if (signature.tag !== tags.bitString || bytes[signature.content] !== 0 || signature.end !== list.end)
    throw new Error('the list has no signature');
  return {
    thisUpdate,
    nextUpdate,
    serials: collector.toSet(),
    scope,
    algorithm: Uint8Array.from(bytes.subarray(algorithm.start, algorithm.end)),
    // The list's own memory, not a copy: it is long.
    signed: bytes.subarray(tbs.start, tbs.end),
    signature: Uint8Array.from(bytes.subarray(signature.content + 1, signature.end)),
  };
}

/** IssuingDistributionPoint, field [4]: RFC 5280 section 5.2.5. */
const isIndirect = (bytes: Uint8Array, { content, end }: Element): boolean => {
  const point = readElement(bytes, content, end);
  return readElements(bytes, point.content, point.end).some((f) => f.tag === 0x84 && bytes[f.content] !== 0);
};

/** Reads one list of DER that arrives in parts. */
const createListReader = (limits: ListLimits) => {
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
      if (!read) throw new Error('the list ends too early');
      return read;
    },
  };
};

const begins = '-----BEGIN X509 CRL-----';
const ends = '-----END X509 CRL-----';

/**
 * Reads the lists of a PEM text, or the one of DER bytes, in parts of any size.
 * Both functions throw an Error when the bytes are no revocation list.
 */
export const createListParser = (limits: ListLimits = listLimits) => {
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
  /** Takes from `text` what can be read already, and leaves the rest. */
  const takeText = (): void => {
    for (;;) {
      if (!reader) {
        const at = text.indexOf(begins);
        if (at < 0) {
          text = text.slice(-begins.length);
          return;
        }
        text = text.slice(at + begins.length);
        reader = open();
      }
      const dash = text.indexOf('-');
      const base64 = (dash < 0 ? text : text.slice(0, dash)).replaceAll(/\s+/g, '');
      const usable = dash < 0 ? base64.length - (base64.length % 4) : base64.length;
      decode(base64.slice(0, usable));
      text = base64.slice(usable) + (dash < 0 ? '' : text.slice(dash));
      if (dash < 0 || text.length < ends.length) return;
      if (!text.startsWith(ends)) throw new Error('the PEM text does not end');
      text = text.slice(ends.length);
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
        takeText();
      }
    },
    end: (): RevocationList[] => {
      if (reader && form === 'pem') throw new Error('the PEM text does not end');
      if (reader) close();
      if (lists.length === 0) throw new Error('there is no revocation list');
      return lists;
    },
  };
};

/** Reads lists that are there as a whole. @throws Error */
export const parseLists = (bytes: Uint8Array): RevocationList[] => {
  const parser = createListParser();
  parser.push(bytes);
  return parser.end();
};
