import { oidOf, readChildren, readElement, readElements, tags, type Element } from './der.ts';
import { constraintsOf, generalNamesOf, type GeneralName, type NameConstraints } from './name-constraints.ts';

/** The extensions of a certificate that the checks of a chain need. */
export type Extensions = {
  /** Undefined: the certificate has no basic constraints. */
  basicConstraints: { isCa: boolean; pathLength: number | undefined } | undefined;
  /** Bits of the key usage, starting with digital signature; undefined: any use is allowed. */
  keyUsage: ReadonlySet<number> | undefined;
  /** Undefined: any purpose. */
  purposes: readonly string[] | undefined;
  /** Bits of the Netscape certificate type; undefined: any. */
  netscapeType: ReadonlySet<number> | undefined;
  nameConstraints: NameConstraints | undefined;
  alternativeNames: readonly GeneralName[];
  /** RFC 3820: issued by a person for a program. */
  isProxy: boolean;
  /** Critical extensions that are not processed. */
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
/** Further extensions that `openssl verify` accepts as critical. It checks policies only on request. */
const accepted = new Set([
  ...Object.values(oids),
  '2.5.29.31', // CRL distribution points
  '2.5.29.32', // certificate policies
  '2.5.29.33', // policy mappings
  '2.5.29.36', // policy constraints
  '2.5.29.54', // inhibit any policy
  '1.3.6.1.5.5.7.48.1.5', // OCSP no check
]);

type ExtensionValue = { oid: string; critical: boolean; value: Uint8Array };

/** Reads `Extensions` of DER. @throws Error: an extension is duplicated, or a processed one is malformed. */
export function readExtensions(der: Uint8Array | undefined): Extensions {
  const all: ExtensionValue[] = der ? readChildren(der).map((extension) => readOne(der, extension)) : [];
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
}

function basicConstraintsOf(value: Uint8Array): Extensions['basicConstraints'] {
  const parts = readChildren(value);
  const flag = parts.find((part) => part.tag === tags.boolean);
  const length = parts.find((part) => part.tag === tags.integer);
  if (parts.length > Number(flag !== undefined) + Number(length !== undefined)) throw new Error('no basic constraints');
  return {
    isCa: flag !== undefined && value[flag.content] !== 0,
    pathLength: length && numberOf(value, length),
  };
}

function bitsOf(value: Uint8Array): Set<number> {
  const { tag, content, end } = readElement(value, 0, value.length);
  if (tag !== tags.bitString || content === end) throw new Error('no bits');
  const bits = new Set<number>();
  for (let i = content + 1; i < end; i++)
    for (let bit = 0; bit < 8; bit++) if ((value[i] as number) & (128 >> bit)) bits.add((i - content - 1) * 8 + bit);
  return bits;
}

function numberOf(bytes: Uint8Array, { content, end }: Element): number {
  // DER uses the shortest form; no path length needs more than four bytes.
  if (end - content < 1 || end - content > 4 || (bytes[content] as number) > 127) throw new Error('no path length');
  return Buffer.from(bytes).readUIntBE(content, end - content);
}

/** Reads one extension; those of revocation lists have the same form. */
function readOne(der: Uint8Array, { tag, content, end }: Element): ExtensionValue {
  const [id, ...rest] = readElements(der, content, end);
  const value = rest.at(-1);
  if (tag !== tags.sequence || !id || value?.tag !== tags.octetString) throw new Error('no extension');
  return {
    oid: oidOf(der, id),
    critical: rest.length > 1 && der[(rest[0] as Element).content] !== 0,
    value: der.subarray(value.content, value.end),
  };
}
