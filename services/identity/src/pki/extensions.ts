import { oidOf, readChildren, readElement, readElements, tags, type Element } from './der.ts';
import { constraintsOf, generalNamesOf, type GeneralName, type NameConstraints } from './name-constraints.ts';

/** What the extensions of a certificate say, as far as a rule here needs it. */
export type Extensions = {
  /** Undefined: the certificate does not say whether it is an authority's. */
  basicConstraints: { isCa: boolean; pathLength: number | undefined } | undefined;
  /** Bits of the key usage from the first (digital signature) on; undefined: none is given, so any use is allowed. */
  keyUsage: ReadonlySet<number> | undefined;
  /** Undefined: any purpose. */
  purposes: readonly string[] | undefined;
  /** Bits of the Netscape certificate type; undefined: any. */
  netscapeType: ReadonlySet<number> | undefined;
  nameConstraints: NameConstraints | undefined;
  alternativeNames: readonly GeneralName[];
  /** RFC 3820: issued by a person for a program. */
  isProxy: boolean;
  /** Critical extensions that no rule here understands. */
  notUnderstood: string[];
};

const oids = {
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  extendedKeyUsage: '2.5.29.37',
  netscapeType: '2.16.840.1.113730.1.1',
  proxyCertificate: '1.3.6.1.5.5.7.1.14',
};
/** Beside those above: what `openssl verify` accepts when it is critical. Policies are checked only on request there. */
const accepted = new Set([
  ...Object.values(oids),
  '2.5.29.31', // CRL distribution points
  '2.5.29.32', // certificate policies
  '2.5.29.33', // policy mappings
  '2.5.29.36', // policy constraints
  '2.5.29.54', // inhibit any policy
  '1.3.6.1.5.5.7.48.1.5', // OCSP no check
]);

type Found = { oid: string; critical: boolean; value: Uint8Array };

const bitsOf = (value: Uint8Array): Set<number> => {
  const { tag, content, end } = readElement(value, 0, value.length);
  if (tag !== tags.bitString || content === end) throw new Error('no bits');
  const bits = new Set<number>();
  for (let i = content + 1; i < end; i++)
    for (let bit = 0; bit < 8; bit++) if ((value[i] as number) & (128 >> bit)) bits.add((i - content - 1) * 8 + bit);
  return bits;
};

const numberOf = (bytes: Uint8Array, { content, end }: Element): number => {
  // DER writes a number in the fewest bytes; no path has a length of more than four.
  if (end - content < 1 || end - content > 4 || (bytes[content] as number) > 127) throw new Error('no path length');
  return Buffer.from(bytes).readUIntBE(content, end - content);
};

const basicConstraintsOf = (value: Uint8Array): Extensions['basicConstraints'] => {
  const parts = readChildren(value);
  const flag = parts.find((part) => part.tag === tags.boolean);
  const length = parts.find((part) => part.tag === tags.integer);
  if (parts.length > Number(flag !== undefined) + Number(length !== undefined)) throw new Error('no basic constraints');
  return {
    isCa: flag !== undefined && value[flag.content] !== 0,
    pathLength: length && numberOf(value, length),
  };
};

/** Reads `Extensions` of DER. @throws Error: one is there twice, or one that a rule needs cannot be read. */
export const readExtensions = (der: Uint8Array | undefined): Extensions => {
  const all: Found[] = der ? readChildren(der).map((extension) => readOne(der, extension)) : [];
  if (new Set(all.map(({ oid }) => oid)).size !== all.length) throw new Error('an extension is there twice');
  const valueOf = <T>(oid: string, read: (value: Uint8Array) => T): T | undefined => {
    const found = all.find((extension) => extension.oid === oid);
    return found && read(found.value);
  };
  return {
    basicConstraints: valueOf(oids.basicConstraints, basicConstraintsOf),
    keyUsage: valueOf(oids.keyUsage, bitsOf),
    purposes: valueOf(oids.extendedKeyUsage, (value) => readChildren(value).map((purpose) => oidOf(value, purpose))),
    netscapeType: valueOf(oids.netscapeType, bitsOf),
    nameConstraints: valueOf(oids.nameConstraints, constraintsOf),
    alternativeNames: valueOf(oids.alternativeNames, generalNamesOf) ?? [],
    isProxy: all.some(({ oid }) => oid === oids.proxyCertificate),
    notUnderstood: all.filter(({ oid, critical }) => critical && !accepted.has(oid)).map(({ oid }) => oid),
  };
};

/** Reads one extension; those of revocation lists have the same form. */
const readOne = (der: Uint8Array, { tag, content, end }: Element): Found => {
  const [id, ...rest] = readElements(der, content, end);
  const value = rest.at(-1);
  if (tag !== tags.sequence || !id || value?.tag !== tags.octetString) throw new Error('no extension');
  return {
    oid: oidOf(der, id),
    critical: rest.length > 1 && der[(rest[0] as Element).content] !== 0,
    value: der.subarray(value.content, value.end),
  };
};
