import { oidOf, readChildren, readElement, readElements, tags, timeOf, type Element } from './der.ts';
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
  scope: 'full' | Limitation;
  /** DER of the AlgorithmIdentifier, and the signed bytes; needed until the signature has been verified once. */
  algorithm: Uint8Array<ArrayBuffer>;
  signed: Uint8Array<ArrayBuffer>;
  signature: Uint8Array<ArrayBuffer>;
};
type Limitation = 'partial' | 'indirect';
type Extension = { oid: string; critical: boolean; value: Element };

const maxNameBytes = 65_536;

const reasonCode = '2.5.29.21';
const invalidityDate = '2.5.29.24';
const deltaIndicator = '2.5.29.27';
const issuingDistributionPoint = '2.5.29.28';
const certificateIssuer = '2.5.29.29';
const removeFromCrl = 8;
/** Context-specific field [0]. */
const listExtensions = 0xa0;

/** Reads a list in DER. @throws Error: the bytes are not a revocation list. */
export function readRevocationList(bytes: Buffer<ArrayBuffer>): RevocationList {
  const [tbs, algorithm, signature, ...rest] = readChildren(bytes);
  if (!tbs || !algorithm || signature?.tag !== tags.bitString || bytes[signature.content] !== 0 || rest.length > 0)
    throw new Error('the list has no signature');
  const fields = readFields(bytes, tbs);
  const { start, end } = fields.algorithm;
  if (!bytes.subarray(start, end).equals(bytes.subarray(algorithm.start, algorithm.end)))
    throw new Error('the list names two signature algorithms');
  const limitations = new Set<Limitation>();
  if (fields.extensions) addLimitationsOfList(limitations, bytes, fields.extensions);
  const serials = readSerials(limitations, bytes, fields.entries);
  return {
    issuer: nameKeyOf(readName(bytes.subarray(fields.issuer.start, fields.issuer.end))),
    thisUpdate: timeOf(bytes, fields.thisUpdate),
    nextUpdate: fields.nextUpdate && timeOf(bytes, fields.nextUpdate),
    serials,
    scope: limitations.has('indirect') ? 'indirect' : limitations.has('partial') ? 'partial' : 'full',
    algorithm: Uint8Array.from(bytes.subarray(algorithm.start, algorithm.end)),
    // No copy: the list is long.
    signed: bytes.subarray(tbs.start, tbs.end),
    signature: Uint8Array.from(bytes.subarray(signature.content + 1, signature.end)),
  };
}

/** The fields of TBSCertList in their order: RFC 5280 section 5.1.2. */
function readFields(bytes: Uint8Array, tbs: Element) {
  const fields = readElements(bytes, tbs.content, tbs.end);
  const takeField = (...accepted: number[]): Element | undefined =>
    fields[0] && accepted.includes(fields[0].tag) ? fields.shift() : undefined;
  takeField(tags.integer); // The version.
  const algorithm = takeField(tags.sequence);
  const issuer = takeField(tags.sequence);
  const thisUpdate = takeField(tags.utcTime, tags.generalizedTime);
  const nextUpdate = takeField(tags.utcTime, tags.generalizedTime);
  const entries = takeField(tags.sequence);
  const extensions = takeField(listExtensions);
  if (tbs.tag !== tags.sequence || !algorithm || !issuer || !thisUpdate || fields.length > 0)
    throw new Error('no revocation list');
  if (issuer.end - issuer.start > maxNameBytes) throw new Error('the name of the issuer is too long');
  return { algorithm, issuer, thisUpdate, nextUpdate, entries, extensions };
}

/** Reads the entries one after the other: an array of a million of them would need much memory. */
function readSerials(limitations: Set<Limitation>, bytes: Uint8Array, entries: Element | undefined): SerialSet {
  const collector = createSerialCollector();
  const end = entries?.end ?? 0;
  for (let at = entries?.content ?? 0; at < end;) {
    const entry = readElement(bytes, at, end);
    const [serial, , extensions] = readElements(bytes, entry.content, entry.end);
    if (entry.tag !== tags.sequence || serial?.tag !== tags.integer) throw new Error('no entry of a revocation list');
    let isRemoved = false;
    for (const { oid, critical, value } of extensions ? extensionsOf(bytes, extensions) : []) {
      if (oid === certificateIssuer) limitations.add('indirect');
      else if (oid === reasonCode) isRemoved = bytes[value.end - 1] === removeFromCrl;
      else if (critical && oid !== invalidityDate) limitations.add('partial');
    }
    if (!isRemoved) collector.add(bytes, serial.content, serial.end);
    at = entry.end;
  }
  return collector.toSet();
}

function addLimitationsOfList(limitations: Set<Limitation>, bytes: Uint8Array, field: Element): void {
  for (const { oid, critical, value } of extensionsOf(bytes, readElement(bytes, field.content, field.end))) {
    if (oid === deltaIndicator || critical) limitations.add('partial');
    if (oid === issuingDistributionPoint && isIndirect(bytes, value)) limitations.add('indirect');
  }
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

/** Field [4] of IssuingDistributionPoint: RFC 5280 section 5.2.5. */
function isIndirect(bytes: Uint8Array, { content, end }: Element): boolean {
  const point = readElement(bytes, content, end);
  return readElements(bytes, point.content, point.end).some(
    (element) => element.tag === 0x84 && bytes[element.content] !== 0,
  );
}
