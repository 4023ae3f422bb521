import { constants, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

// Encodes certificates byte by byte: the tests of chains need forms that no library writes.

export function tlv(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, ...parts);
}

function integer(value: number): Buffer {
  return tlv(2, Buffer.from([value]));
}

function text(value: string): Buffer {
  return tlv(0x0c, Buffer.from(value));
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const base128 = (arc: number): number[] => {
    const digits = [arc & 127];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) digits.unshift(128 | (left & 127));
    return digits;
  };
  return tlv(6, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

type Attribute = readonly [type: string, value: string];
const types: Readonly<Record<string, string>> = { CN: '2.5.4.3', O: '2.5.4.10', E: '1.2.840.113549.1.9.1' };

export function nameDer(name: readonly Attribute[]): Buffer {
  return sequence(
    ...name.map(([type, value]) =>
      tlv(0x31, sequence(oid(types[type] as string), type === 'E' ? tlv(0x16, Buffer.from(value)) : text(value))),
    ),
  );
}

export type Extension = { id: string; critical?: boolean; value: Buffer };

function bits(used: readonly number[]): Buffer {
  const byte = used.reduce((sum, bit) => sum | (128 >> bit), 0);
  return tlv(3, Buffer.from([used.length === 0 ? 0 : 7 - Math.max(...used), byte]));
}

export function generalName(kind: number, value: string | Buffer): Buffer {
  return kind === 4
    ? tlv(0xa4, Buffer.from(value))
    : tlv(0x80 | kind, typeof value === 'string' ? Buffer.from(value, 'latin1') : value);
}

export const extensions = {
  basicConstraints: (isCa: boolean | undefined, length?: number): Extension => ({
    id: '2.5.29.19',
    critical: true,
    value: sequence(
      ...(isCa === undefined ? [] : [tlv(1, Buffer.from([isCa ? 255 : 0]))]),
      ...(length === undefined ? [] : [integer(length)]),
    ),
  }),
  keyUsage: (...used: number[]): Extension => ({ id: '2.5.29.15', critical: true, value: bits(used) }),
  purposes: (...ids: string[]): Extension => ({ id: '2.5.29.37', value: sequence(...ids.map(oid)) }),
  netscape: (...used: number[]): Extension => ({ id: '2.16.840.1.113730.1.1', value: bits(used) }),
  alternativeNames: (...names: Buffer[]): Extension => ({ id: '2.5.29.17', value: sequence(...names) }),
  nameConstraints: (permitted: Buffer[], excluded: Buffer[], critical = true): Extension => ({
    id: '2.5.29.30',
    critical,
    value: sequence(
      ...(permitted.length > 0 ? [tlv(0xa0, ...permitted.map((base) => sequence(base)))] : []),
      ...(excluded.length > 0 ? [tlv(0xa1, ...excluded.map((base) => sequence(base)))] : []),
    ),
  }),
};

export type Signature = { digest: string | null; pssSalt?: number; der: Buffer };
const digestOids: Readonly<Record<string, string>> = {
  sha1: '1.3.14.3.2.26',
  sha256: '2.16.840.1.101.3.4.2.1',
  sha512: '2.16.840.1.101.3.4.2.3',
};
const nul = Buffer.from([5, 0]);

function pss(digest: string, pssSalt: number): Signature {
  const hash = sequence(oid(digestOids[digest] as string), nul);
  const mask = sequence(oid('1.2.840.113549.1.1.8'), hash);
  const parameters = sequence(tlv(0xa0, hash), tlv(0xa1, mask), tlv(0xa2, integer(pssSalt)));
  return { digest, pssSalt, der: sequence(oid('1.2.840.113549.1.1.10'), parameters) };
}

function rsa(digest: string, id: string): Signature {
  return { digest, der: sequence(oid(id), nul) };
}

function ecdsa(digest: string, id: string): Signature {
  return { digest, der: sequence(oid(id)) };
}

export const signatures = {
  rsa: {
    md5: rsa('md5', '1.2.840.113549.1.1.4'),
    sha1: rsa('sha1', '1.2.840.113549.1.1.5'),
    sha224: rsa('sha224', '1.2.840.113549.1.1.14'),
    sha256: rsa('sha256', '1.2.840.113549.1.1.11'),
    sha384: rsa('sha384', '1.2.840.113549.1.1.12'),
    sha512: rsa('sha512', '1.2.840.113549.1.1.13'),
    pssSha1: pss('sha1', 20),
    pssDefault: { digest: 'sha1', pssSalt: 20, der: sequence(oid('1.2.840.113549.1.1.10'), sequence()) },
    pssSha256: pss('sha256', 32),
    pssSha512: pss('sha512', 64),
  },
  ec: {
    sha1: ecdsa('sha1', '1.2.840.10045.4.1'),
    sha224: ecdsa('sha224', '1.2.840.10045.4.3.1'),
    sha256: ecdsa('sha256', '1.2.840.10045.4.3.2'),
    sha384: ecdsa('sha384', '1.2.840.10045.4.3.3'),
    sha512: ecdsa('sha512', '1.2.840.10045.4.3.4'),
  },
  ed25519: { digest: null, der: sequence(oid('1.3.101.112')) },
  ed448: { digest: null, der: sequence(oid('1.3.101.113')) },
} satisfies Record<string, Signature | Record<string, Signature>>;

type Keys = { publicKey: KeyObject; privateKey: KeyObject };
const made = new Map<string, Keys>();
/** Keys by kind and size, e.g. `rsa 1024` or `ec prime256v1`; each is generated once. */
export function keysOf(kind: string): Keys {
  const known = made.get(kind);
  if (known) return known;
  const [type, size] = kind.split(' ') as [string, string];
  const keys =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: Number(size) })
      : type === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: size })
        : generateKeyPairSync(type as 'ed25519');
  made.set(kind, keys);
  return keys;
}

export function usualSignature(kind: string): Signature {
  return kind.startsWith('rsa')
    ? signatures.rsa.sha256
    : kind.startsWith('ec ')
      ? signatures.ec.sha256
      : signatures[kind as 'ed25519' | 'ed448'];
}

export type CertificateSpec = {
  subject: readonly Attribute[];
  keys: string;
  notBefore: Date;
  notAfter: Date;
  version: 1 | 3;
  extensions: Extension[];
  /** How its issuer signs it; undefined: as is usual for the issuer's key. */
  signature?: Signature | undefined;
};

function time(date: Date): Buffer {
  return tlv(0x18, Buffer.from(`${date.toISOString().replaceAll(/[-:T]|\..*$/g, '')}Z`));
}

function bitString(bytes: Buffer): Buffer {
  return tlv(3, Buffer.from([0]), bytes);
}

/** @returns the certificate in DER, signed with the key of `issuer`. */
export function certificateDer(spec: CertificateSpec, issuer: Pick<CertificateSpec, 'subject' | 'keys'>): Buffer {
  const signature = spec.signature ?? usualSignature(issuer.keys);
  const extension = ({ id, critical, value }: Extension) =>
    sequence(oid(id), ...(critical ? [tlv(1, Buffer.from([255]))] : []), tlv(4, value));
  const serial = Buffer.concat([Buffer.from([0x41]), randomBytes(11)]);
  const tbs = sequence(
    ...(spec.version === 3 ? [tlv(0xa0, integer(2))] : []),
    tlv(2, serial),
    signature.der,
    nameDer(issuer.subject),
    sequence(time(spec.notBefore), time(spec.notAfter)),
    nameDer(spec.subject),
    keysOf(spec.keys).publicKey.export({ type: 'spki', format: 'der' }),
    ...(spec.version === 3 && spec.extensions.length > 0
      ? [tlv(0xa3, sequence(...spec.extensions.map(extension)))]
      : []),
  );
  const padding =
    signature.pssSalt === undefined ? {} : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: signature.pssSalt };
  const key = keysOf(issuer.keys).privateKey;
  const digest = key.asymmetricKeyType?.startsWith('ed') ? null : signature.digest;
  const signed = sign(digest, tbs, { key, ...padding });
  return sequence(tbs, signature.der, bitString(signed));
}

export function pemOf(der: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${(der.toString('base64').match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`;
}
