import { randomBytes, webcrypto } from 'node:crypto';
import {
  BitString,
  Enumerated,
  IA5String,
  Integer,
  Null,
  ObjectIdentifier,
  OctetString,
  Sequence,
  Set as AsnSet,
  Utf8String,
} from 'asn1js';
import {
  AltName,
  BasicConstraints,
  Certificate,
  CertificateRevocationList,
  ExtKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  RevokedCertificate,
  Time,
  TimeType,
  type RelativeDistinguishedNames,
} from 'pkijs';

const { subtle } = webcrypto;
const dayMs = 86_400_000;

/** Attribute types of a subject, by OID. */
const types = {
  CN: '2.5.4.3',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  C: '2.5.4.6',
  DC: '0.9.2342.19200300.100.1.25',
} as const;
/** A subject in the order of the certificate, e.g. `{ O: 'Example', CN: 'Alice' }`. */
export type Subject = Partial<Record<keyof typeof types, string>>;

/** Purposes of extended key usage. */
export const purposes = { client: '1.3.6.1.5.5.7.3.2', server: '1.3.6.1.5.5.7.3.1', email: '1.3.6.1.5.5.7.3.4' };
/** Key usage, by bit. */
export const keyUses = { digitalSignature: 0, keyEncipherment: 2, keyAgreement: 4, keyCertSign: 5, crlSign: 6 };

export type CertificateOptions = {
  subject: Subject;
  notBefore?: Date;
  notAfter?: Date;
  /** Extended key usage; null: none at all. */
  purposes?: readonly string[] | null;
  /** Key usage; null: none at all. */
  keyUsage?: readonly number[] | null;
  isCa?: boolean;
  pathLength?: number;
  emails?: readonly string[];
  dnsNames?: readonly string[];
  ipAddresses?: readonly string[];
  /** An unknown critical extension. */
  unknownCritical?: boolean;
  hash?: 'SHA-1' | 'SHA-256';
};

/** A certificate with its key. */
export type Issued = {
  readonly pem: string;
  readonly der: Buffer;
  readonly keyPem: string;
  readonly serial: Integer;
};

/** An issuer of certificates and revocation lists. */
export type Authority = {
  readonly issue: (options: CertificateOptions) => Promise<Issued>;
  /** An authority below this one. */
  readonly authority: (options: CertificateOptions) => Promise<Authority>;
  /** Another certificate for the same name and key, self-signed. */
  readonly again: () => Promise<Issued>;
  readonly revoke: (revoked: readonly Pick<Issued, 'serial'>[], options?: CrlOptions) => Promise<string>;
} & Issued;

export type CrlOptions = {
  thisUpdate?: Date;
  nextUpdate?: Date | null;
  unknownCritical?: boolean;
  /** Entries carry the reason "removed from the list". */
  removed?: boolean;
};

type Signer = { subject: Subject; key: webcrypto.CryptoKey };

/** A root authority with keys of its own. */
export function createAuthority(options: CertificateOptions): Promise<Authority> {
  return authority(options);
}

/** A self-signed certificate. */
export async function selfSigned(options: CertificateOptions): Promise<Issued> {
  const keys = await newKeys();
  return make(options, keys, { subject: options.subject, key: keys.privateKey });
}

function unknown(): Extension {
  return extension('1.3.6.1.4.1.99999.1', true, new Null().toBER());
}

function extension(extnID: string, critical: boolean, value: ArrayBuffer): Extension {
  return new Extension({ extnID, critical, extnValue: value });
}

function pem(label: string, der: Uint8Array): string {
  return `-----BEGIN ${label}-----\n${(
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  ).join('\n')}\n-----END ${label}-----\n`;
}

async function authority(options: CertificateOptions, above?: Signer): Promise<Authority> {
  const keys = await newKeys();
  const me: Signer = { subject: options.subject, key: keys.privateKey };
  const mine = { keyUsage: [keyUses.keyCertSign, keyUses.crlSign], purposes: null, isCa: true, ...options };
  return {
    ...(await make(mine, keys, above ?? me)),
    issue: async (issued) => make(issued, await newKeys(), me),
    authority: (below) => authority(below, me),
    again: () => make(mine, keys, me),
    revoke: (revoked, listOptions = {}) => revocationList(me, revoked, listOptions),
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
}

async function make(options: CertificateOptions, keys: webcrypto.CryptoKeyPair, signer: Signer): Promise<Issued> {
  const serial = randomBytes(12);
  // Neither negative nor with a leading zero: DER writes a number in the fewest bytes.
  serial[0] = ((serial[0] as number) & 0x7f) | 0x40;
  const cert = new Certificate();
  cert.version = 2;
  cert.serialNumber = new Integer({ valueHex: new Uint8Array(serial).buffer });
  fill(cert.issuer, signer.subject);
  fill(cert.subject, options.subject);
  cert.notBefore.value = options.notBefore ?? new Date(Date.now() - dayMs);
  cert.notAfter.value = options.notAfter ?? new Date(Date.now() + 30 * dayMs);
  await cert.subjectPublicKeyInfo.importKey(keys.publicKey);
  cert.extensions = extensionsOf(options);
  await cert.sign(signer.key, options.hash ?? 'SHA-256');
  const der = Buffer.from(cert.toSchema(true).toBER());
  const pkcs8 = new Uint8Array(await subtle.exportKey('pkcs8', keys.privateKey));
  return { pem: pem('CERTIFICATE', der), der, keyPem: pem('PRIVATE KEY', pkcs8), serial: cert.serialNumber };
}

async function revocationList(signer: Signer, revoked: readonly Pick<Issued, 'serial'>[], options: CrlOptions) {
  const crl = new CertificateRevocationList();
  crl.version = 1;
  fill(crl.issuer, signer.subject);
  crl.thisUpdate = new Time({ type: TimeType.UTCTime, value: options.thisUpdate ?? new Date(Date.now() - 60_000) });
  const next = options.nextUpdate === undefined ? new Date(Date.now() + dayMs) : options.nextUpdate;
  if (next) crl.nextUpdate = new Time({ type: TimeType.UTCTime, value: next });
  const removed = extension('2.5.29.21', false, new Enumerated({ value: 8 }).toBER());
  if (revoked.length > 0)
    crl.revokedCertificates = revoked.map(
      ({ serial }) =>
        new RevokedCertificate({
          userCertificate: serial,
          revocationDate: new Time({ type: TimeType.UTCTime, value: new Date() }),
          ...(options.removed ? { crlEntryExtensions: new Extensions({ extensions: [removed] }) } : {}),
        }),
    );
  if (options.unknownCritical) crl.crlExtensions = new Extensions({ extensions: [unknown()] });
  await crl.sign(signer.key, 'SHA-256');
  return pem('X509 CRL', new Uint8Array(crl.toSchema(true).toBER()));
}

/** Each part of the subject is a relative name of its own, which pkijs alone would not write. */
function fill(name: RelativeDistinguishedNames, subject: Subject): void {
  name.valueBeforeDecode = new Sequence({ value: Object.entries(subject).map(avaOf) }).toBER();
}

function extensionsOf(options: CertificateOptions): Extension[] {
  const alt = names(options);
  const usage = options.keyUsage === undefined ? [keyUses.digitalSignature] : options.keyUsage;
  const purpose = options.purposes === undefined ? [purposes.client] : options.purposes;
  const constraints = {
    cA: options.isCa ?? false,
    ...(options.pathLength === undefined ? {} : { pathLenConstraint: options.pathLength }),
  };
  return [
    extension('2.5.29.19', true, new BasicConstraints(constraints).toSchema().toBER()),
    ...(usage ? [extension('2.5.29.15', true, bits(usage).toBER())] : []),
    ...(purpose
      ? [extension('2.5.29.37', false, new ExtKeyUsage({ keyPurposes: [...purpose] }).toSchema().toBER())]
      : []),
    ...(alt.length > 0 ? [extension('2.5.29.17', false, new AltName({ altNames: alt }).toSchema().toBER())] : []),
    ...(options.unknownCritical ? [unknown()] : []),
  ];
}

function avaOf([key, value]: [string, string]): AsnSet {
  const type = new ObjectIdentifier({ value: types[key as keyof typeof types] });
  return new AsnSet({
    value: [new Sequence({ value: [type, key === 'DC' ? new IA5String({ value }) : new Utf8String({ value })] })],
  });
}

function names({ emails = [], dnsNames = [], ipAddresses = [] }: CertificateOptions): GeneralName[] {
  return [
    ...emails.map((value) => new GeneralName({ type: 1, value })),
    ...dnsNames.map((value) => new GeneralName({ type: 2, value })),
    ...ipAddresses.map(
      (ip) =>
        new GeneralName({
          type: 7,
          value: new OctetString({ valueHex: new Uint8Array(ip.split('.').map(Number)).buffer }),
        }),
    ),
  ];
}

function bits(used: readonly number[]): BitString {
  const bytes = new Uint8Array(1);
  for (const bit of used) bytes[0] = (bytes[0] as number) | (128 >> bit);
  return new BitString({ valueHex: bytes.buffer, unusedBits: 7 - Math.max(...used) });
}
