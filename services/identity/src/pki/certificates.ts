import { createHash, X509Certificate } from 'node:crypto';
import { oidOf, readChildren, readElements, tags, type Element } from './der.ts';
import { readExtensions, type Extensions } from './extensions.ts';
import { generalNameKinds } from './name-constraints.ts';
import { commonNameOid, nameKeyOf, readName, textOf, type Name } from './names.ts';
import { signatureAlgorithmOf, type SignatureAlgorithm } from './signature-algorithm.ts';

/** A certificate as parsed by OpenSSL, with the fields that the checks of a chain need. */
export type Cert = Extensions & {
  x509: X509Certificate;
  version: number;
  subjectName: Name;
  subjectDer: Buffer;
  /** Equal for equal subjects; see `nameKeyOf`. */
  subjectKey: string;
  /** Subject and issuer as text by RFC 4514. */
  subject: string;
  issuer: string;
  isSelfIssued: boolean;
  commonName: string | undefined;
  emails: string[];
  /** In hexadecimal, without leading zeros. */
  serial: string;
  /** Content of the DER integer. */
  serialBytes: Buffer;
  /** SHA-256 of the certificate, and of its public key. */
  fingerprint: string;
  keyFingerprint: string;
  /** Undefined: an unknown algorithm. */
  signature: SignatureAlgorithm | undefined;
  hasExplicitCurve: boolean;
};

export const keyUses = { digitalSignature: 0, keyAgreement: 4, keyCertSign: 5, crlSign: 6 } as const;

const ecPublicKey = '1.2.840.10045.2.1';

/** @throws Error: the bytes are not a certificate. */
export function parseDer(der: Buffer): Cert {
  const x509 = new X509Certificate(der);
  // OpenSSL ignores bytes after the first certificate; other parsers may not.
  if (!x509.raw.equals(der)) throw new Error('bytes follow the certificate');
  const fields = fieldsOf(der);
  const extensions = readExtensions(fields.extensions);
  const subjectName = readName(fields.subject);
  const issuerName = readName(fields.issuer);
  const isEmail = ({ kind }: { kind: number }) => kind === generalNameKinds.email;
  return {
    ...extensions,
    x509,
    version: fields.version,
    subjectName,
    subjectDer: fields.subject,
    subjectKey: nameKeyOf(subjectName),
    subject: textOf(subjectName),
    issuer: textOf(issuerName),
    isSelfIssued: nameKeyOf(subjectName) === nameKeyOf(issuerName),
    commonName: subjectName
      .flat()
      .filter(({ oid }) => oid === commonNameOid)
      .at(-1)
      ?.text.replaceAll(/\\(.)/g, '$1'),
    emails: extensions.alternativeNames.filter(isEmail).map(({ bytes }) => bytes.toString('latin1')),
    serial: fields.serial.toString('hex').replace(/^(00)+(?=..)/, ''),
    serialBytes: fields.serial,
    fingerprint: sha256(der),
    keyFingerprint: sha256(fields.publicKey),
    signature: signatureAlgorithmOf(fields.algorithm),
    hasExplicitCurve: hasExplicitCurve(fields.publicKey),
  };
}

const block =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/** All certificates of a PEM text. @throws Error: one of them is malformed. */
export function parsePem(text: string): Cert[] {
  return [...text.matchAll(block)].map(([, base64]) => parseDer(Buffer.from(base64 as string, 'base64')));
}

/** Explicit curve parameters instead of a named curve; RFC 5480 section 2.1.1 forbids them. */
function hasExplicitCurve(publicKey: Buffer): boolean {
  const [algorithm] = readChildren(publicKey);
  const [id, parameters] = algorithm ? readElements(publicKey, algorithm.content, algorithm.end) : [];
  return id !== undefined && oidOf(publicKey, id) === ecPublicKey && parameters?.tag !== tags.oid;
}

/** The fields of a TBSCertificate (RFC 5280 section 4.1). */
function fieldsOf(der: Buffer) {
  const [tbs, algorithm] = readChildren(der);
  if (!tbs || !algorithm) throw new Error('no certificate');
  const parts = readElements(der, tbs.content, tbs.end);
  const version = parts[0]?.tag === 0xa0 ? parts.shift() : undefined;
  const [serial, , issuer, , subject, publicKey, ...rest] = parts;
  if (!serial || !issuer || !subject || !publicKey) throw new Error('no certificate');
  const bytesOf = ({ start, end }: Element): Buffer => der.subarray(start, end);
  const extensions = rest.find(({ tag }) => tag === 0xa3);
  return {
    version: version ? (der[version.end - 1] as number) + 1 : 1,
    serial: der.subarray(serial.content, serial.end),
    issuer: bytesOf(issuer),
    subject: bytesOf(subject),
    publicKey: bytesOf(publicKey),
    algorithm: bytesOf(algorithm),
    extensions: extensions && der.subarray(extensions.content, extensions.end),
  };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
