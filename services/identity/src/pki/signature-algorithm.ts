import { constants, verify, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { oidOf, readChildren, readElement } from './der.ts';

/** A signature algorithm and its strength. */
export type SignatureAlgorithm = {
  /** Bits of security as OpenSSL counts them: half the digest, less where the digest is broken. */
  securityBits: number;
  /** Null: the algorithm has a fixed digest (EdDSA). */
  digest: string | null;
  /** Only for RSA-PSS. */
  saltLength: number | undefined;
};

/** Required by `openssl verify -auth_level 2` for keys and signatures. */
export const requiredSecurityBits = 112;

export function isStrong(algorithm: SignatureAlgorithm | undefined): boolean {
  return algorithm !== undefined && algorithm.securityBits >= requiredSecurityBits;
}

const digestBits: Readonly<Record<string, number>> = {
  md5: 39,
  sha1: 63,
  sha224: 112,
  sha256: 128,
  sha384: 192,
  sha512: 256,
  'sha512-224': 112,
  'sha512-256': 128,
  'sha3-224': 112,
  'sha3-256': 128,
  'sha3-384': 192,
  'sha3-512': 256,
};

const digestOfSignature: Readonly<Record<string, string>> = {
  // RSA, PKCS #1 v1.5
  '1.2.840.113549.1.1.4': 'md5',
  '1.2.840.113549.1.1.5': 'sha1',
  '1.2.840.113549.1.1.14': 'sha224',
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.113549.1.1.15': 'sha512-224',
  '1.2.840.113549.1.1.16': 'sha512-256',
  '2.16.840.1.101.3.4.3.13': 'sha3-224',
  '2.16.840.1.101.3.4.3.14': 'sha3-256',
  '2.16.840.1.101.3.4.3.15': 'sha3-384',
  '2.16.840.1.101.3.4.3.16': 'sha3-512',
  // ECDSA
  '1.2.840.10045.4.1': 'sha1',
  '1.2.840.10045.4.3.1': 'sha224',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '2.16.840.1.101.3.4.3.9': 'sha3-224',
  '2.16.840.1.101.3.4.3.10': 'sha3-256',
  '2.16.840.1.101.3.4.3.11': 'sha3-384',
  '2.16.840.1.101.3.4.3.12': 'sha3-512',
  // DSA
  '1.2.840.10040.4.3': 'sha1',
  '2.16.840.1.101.3.4.3.1': 'sha224',
  '2.16.840.1.101.3.4.3.2': 'sha256',
};
const edwards: Readonly<Record<string, number>> = { '1.3.101.112': 128, '1.3.101.113': 224 };
const rsaPss = '1.2.840.113549.1.1.10';

const digestByOid: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
  '2.16.840.1.101.3.4.2.5': 'sha512-224',
  '2.16.840.1.101.3.4.2.6': 'sha512-256',
};

/** RFC 4055 section 3.1: the default is SHA-1 with a salt of 20 bytes. */
function pssOf(parameters: Uint8Array): SignatureAlgorithm | undefined {
  let digest: string | undefined = 'sha1';
  let saltLength = 20;
  for (const { tag, content, end } of readChildren(parameters)) {
    const inner = readElement(parameters, content, end);
    if (tag === 0xa0) digest = digestByOid[oidOf(parameters, readElement(parameters, inner.content, inner.end))];
    if (tag === 0xa2)
      saltLength = Buffer.from(parameters.subarray(inner.content, inner.end)).readUIntBE(0, inner.end - inner.content);
  }
  const securityBits = digest === undefined ? undefined : digestBits[digest];
  return securityBits === undefined ? undefined : { securityBits, digest: digest as string, saltLength };
}

/** Reads an AlgorithmIdentifier of DER. @returns undefined for an unknown algorithm. */
export function signatureAlgorithmOf(der: Uint8Array): SignatureAlgorithm | undefined {
  const [id, parameters] = readChildren(der);
  if (!id) return undefined;
  const oid = oidOf(der, id);
  if (oid === rsaPss) return parameters ? pssOf(der.subarray(parameters.start, parameters.end)) : undefined;
  const bits = edwards[oid];
  if (bits !== undefined) return { securityBits: bits, digest: null, saltLength: undefined };
  const digest = digestOfSignature[oid];
  return digest === undefined
    ? undefined
    : { securityBits: digestBits[digest] as number, digest, saltLength: undefined };
}

const verifyOffThread = promisify(verify);

/** Runs in the thread pool, because the signed bytes may be many megabytes. @returns false also for a key of another kind. */
export async function verifySignature(
  { digest, saltLength }: SignatureAlgorithm,
  { signed, signature, key }: { signed: Uint8Array; signature: Uint8Array; key: KeyObject },
): Promise<boolean> {
  const padding = saltLength === undefined ? {} : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength };
  try {
    return await verifyOffThread(digest, signed, { key, ...padding }, signature);
  } catch {
    return false;
  }
}
