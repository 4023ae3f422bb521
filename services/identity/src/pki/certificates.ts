import { X509Certificate } from 'node:crypto';
import { fromBER, type Integer, type ObjectIdentifier, type Sequence, type Set as Asn1Set } from 'asn1js';
import { AltName, BasicConstraints, Certificate, ExtKeyUsage } from 'pkijs';

/** A certificate as OpenSSL sees it (signatures, names), and what of its extensions the rules ask for. */
export type Cert = {
  x509: X509Certificate;
  asn: Certificate;
  /** Subject as text by RFC 4514. */
  subject: string;
  commonName: string | undefined;
  emails: string[];
  serial: string;
  signedWith: string;
  isCa: boolean;
  /** Authorities that may stand between this one and the person; undefined: any number. */
  pathLength: number | undefined;
  /** Bits of the key usage from the first (digital signature) on; undefined: none is given, so any use is allowed. */
  keyUsage: ReadonlySet<number> | undefined;
  /** Undefined: any purpose. */
  purposes: readonly string[] | undefined;
  /** Critical extensions that no rule here understands. */
  notUnderstood: string[];
};

/** A serial number as one text, the same for certificates and revocation lists. */
export const serialOf = (number: Integer): string =>
  Buffer.from(number.valueBlock.valueHexView)
    .toString('hex')
    .replace(/^(00)+(?=..)/, '');

/** RSA and ECDSA with SHA-2, RSA-PSS, Ed25519 and Ed448: nothing with SHA-1 or MD5. */
const strong = new Set([
  '1.2.840.113549.1.1.10',
  '1.2.840.113549.1.1.11',
  '1.2.840.113549.1.1.12',
  '1.2.840.113549.1.1.13',
  '1.2.840.10045.4.3.2',
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
  '1.3.101.112',
  '1.3.101.113',
]);
export const isStrong = (algorithm: string): boolean => strong.has(algorithm);

export const digitalSignature = 0;
export const keyCertSign = 5;
export const crlSign = 6;

const extension = {
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  certificatePolicies: '2.5.29.32',
  extendedKeyUsage: '2.5.29.37',
};
const understood = new Set(Object.values(extension));

const shortNames: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'STREET',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '0.9.2342.19200300.100.1.1': 'UID',
  '0.9.2342.19200300.100.1.25': 'DC',
};

const escaped = (value: string): string =>
  value
    .replaceAll(/[\\",+;<>=]/g, '\\$&')
    .replace(/^[# ]/, '\\$&')
    .replace(/ $/, '\\ ');

type Ava = { type: string; text: string };
type Value = { valueBlock: { value?: unknown }; valueBeforeDecodeView: Uint8Array };

const avaOf = (sequence: unknown): Ava => {
  const [oid, value] = (sequence as Sequence).valueBlock.value;
  const type = (oid as ObjectIdentifier).getValue();
  const { valueBlock, valueBeforeDecodeView } = value as unknown as Value;
  const text =
    typeof valueBlock.value === 'string'
      ? escaped(valueBlock.value)
      : `#${Buffer.from(valueBeforeDecodeView).toString('hex')}`;
  return { type: shortNames[type] ?? type, text };
};

/** The relative names of a subject, in the order of the certificate; pkijs alone would lose which belong together. */
const nameOf = (der: Uint8Array): Ava[][] => {
  const { result } = fromBER(der);
  return (result as Sequence).valueBlock.value.map((set) => (set as Asn1Set).valueBlock.value.map(avaOf));
};

const bitsOf = (bits: Uint8Array): Set<number> =>
  new Set([...bits].flatMap((byte, i) => Array.from({ length: 8 }, (_, b) => (byte & (128 >> b) ? i * 8 + b : -1))));

type Parsed = { cA?: boolean; valueBlock?: { valueHexView: Uint8Array } };
const extensionsOf = (asn: Certificate) => {
  const all = asn.extensions ?? [];
  const valueOf = (id: string): unknown => all.find((e) => e.extnID === id)?.parsedValue;
  const constraints = valueOf(extension.basicConstraints);
  const names = valueOf(extension.subjectAltName);
  const purposes = valueOf(extension.extendedKeyUsage);
  const usage = valueOf(extension.keyUsage) as Parsed | undefined;
  const length = constraints instanceof BasicConstraints ? constraints.pathLenConstraint : undefined;
  return {
    isCa: constraints instanceof BasicConstraints && constraints.cA,
    pathLength: typeof length === 'number' ? length : undefined,
    keyUsage: usage?.valueBlock ? bitsOf(usage.valueBlock.valueHexView) : undefined,
    purposes: purposes instanceof ExtKeyUsage ? purposes.keyPurposes : undefined,
    emails: names instanceof AltName ? names.altNames.filter((n) => n.type === 1).map((n) => String(n.value)) : [],
    notUnderstood: all.filter((e) => e.critical && !understood.has(e.extnID)).map((e) => e.extnID),
    repeated: new Set(all.map((e) => e.extnID)).size !== all.length,
    unreadable: all.some((e) => understood.has(e.extnID) && !e.parsedValue),
  };
};

/** @throws Error: the bytes are no certificate. */
export const parseDer = (der: Buffer): Cert => {
  const x509 = new X509Certificate(der);
  // OpenSSL reads the first certificate and ignores what follows; two readers must not see two different things.
  if (!x509.raw.equals(der)) throw new Error('bytes follow the certificate');
  const asn = Certificate.fromBER(new Uint8Array(x509.raw));
  const { repeated, unreadable, ...fields } = extensionsOf(asn);
  if (repeated || unreadable) throw new Error('an extension cannot be read');
  const name = nameOf(new Uint8Array(asn.subject.valueBeforeDecode));
  const subject = name
    .toReversed()
    .map((rdn) => rdn.map(({ type, text }) => `${type}=${text}`).join('+'))
    .join(',');
  const commonNames = name.flat().filter(({ type }) => type === 'CN');
  return {
    x509,
    asn,
    subject,
    commonName: commonNames.at(-1)?.text.replaceAll(/\\(.)/g, '$1'),
    serial: serialOf(asn.serialNumber),
    signedWith: asn.signatureAlgorithm.algorithmId,
    ...fields,
  };
};

const block =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/** All certificates of a PEM text. @throws Error: one of them is none. */
export const parsePem = (text: string): Cert[] =>
  [...text.matchAll(block)].map(([, base64]) => parseDer(Buffer.from(base64 as string, 'base64')));
