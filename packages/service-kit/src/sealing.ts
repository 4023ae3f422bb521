import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readableBy, readEnv } from './env.ts';

/** A key and its name; the name stands beside what the key has sealed. */
type Key = { id: string; secret: Buffer };
/** The first key seals, all of them open: that is how one follows another. */
export type KeyRing = readonly [Key, ...Key[]];
export type Sealed = { keyId: string; text: string };

const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;
const base64 = /^[A-Za-z0-9+/_-]{43}=?$/;

/**
 * Keys from the environment: one in base64, or several as `id:base64,id:base64`.
 * @throws Error that says what is wrong and nothing of the keys.
 */
export function parseKeyRing(text: string): KeyRing {
  const [first, ...more] = text.split(',').map((part) => parseKey(part.trim()));
  const ring: KeyRing = [first as Key, ...more];
  if (new Set(ring.map((key) => key.id)).size < ring.length) throw new Error('two keys have the same name');
  return ring;
}

/** AES-256-GCM with a fresh nonce. The setting's name is authenticated too: the text opens nowhere else. */
export function seal([key]: KeyRing, name: string, secret: string): Sealed {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key.secret, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(name));
  const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return { keyId: key.id, text: Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64') };
}

/** The secret, or null when the key is unknown, the text was altered or it was sealed under another name. */
export function unseal(ring: KeyRing, name: string, { keyId, text }: Sealed): string | null {
  const key = ring.find(({ id }) => id === keyId);
  const bytes = Buffer.from(text, 'base64');
  if (!key || bytes.length < nonceBytes + tagBytes) return null;
  const decipher = createDecipheriv('aes-256-gcm', key.secret, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(name));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const body = bytes.subarray(nonceBytes, -tagBytes);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

/**
 * HMAC-SHA-256 of a value with a key of its own for each purpose. Without the key the value cannot be determined.
 * @returns one entry per key of the ring; the first is the one to store.
 */
export function keyedHashes(
  ring: KeyRing,
  purpose: string,
  value: string,
  earlier: readonly HashKey[] = [],
): readonly { keyId: string; hash: string }[] {
  const own = ring.map(({ id, secret }) => ({ keyId: id, purpose, key: hashKeyOf(secret, purpose) }));
  const keys = [...own, ...earlier.filter((key) => key.purpose === purpose)];
  return keys.map(({ keyId, key }) => ({ keyId, hash: createHmac('sha256', key).update(value).digest('hex') }));
}

function hashKeyOf(secret: Buffer, purpose: string): Buffer {
  return createHmac('sha256', secret).update(`overtone ${purpose}\n`).digest();
}

/** The key of the hashes of one purpose, whose key of the ring has the name `keyId`. */
export type HashKey = { keyId: string; purpose: string; key: Buffer };
/** A hash key that outlives its key of the ring: a later one has sealed it. */
export type SealedHashKey = { keyId: string; purpose: string; sealedBy: string; text: string };

/** Seals the hash key of a key of the ring with the first one. */
export function sealHashKey(
  ring: KeyRing,
  { keyId, purpose }: Pick<HashKey, 'keyId' | 'purpose'>,
): SealedHashKey | null {
  const owner = ring.find(({ id }) => id === keyId);
  return owner ? sealKey(ring, { keyId, purpose, key: hashKeyOf(owner.secret, purpose) }) : null;
}

/** Seals a hash key again, with the first key. */
export function sealKey(ring: KeyRing, { keyId, purpose, key }: HashKey): SealedHashKey {
  const { keyId: sealedBy, text } = seal(ring, nameOf(keyId, purpose), key.toString('base64'));
  return { keyId, purpose, sealedBy, text };
}

export function unsealHashKey(ring: KeyRing, { keyId, purpose, sealedBy, text }: SealedHashKey): HashKey | null {
  const key = unseal(ring, nameOf(keyId, purpose), { keyId: sealedBy, text });
  return key === null ? null : { keyId, purpose, key: Buffer.from(key, 'base64') };
}

function nameOf(keyId: string, purpose: string): string {
  return `hash key ${keyId} ${purpose}`;
}

/** Seals secrets: 32 bytes in base64, or several keys as `id:base64,id:base64`; the first one seals. */
/** Keys that seal stored secrets, separated by commas; the first one seals. */
export const keyRingEnv = {
  /** 32 bytes in base64; several, separated by commas, while a key is exchanged: the first one seals, each unseals. */
  ENCRYPTION_KEY: z
    .string()
    .refine(readableBy(parseKeyRing))
    .describe('32 bytes in base64, or several such keys as name:key, separated by commas'),
};

/** The keys of the environment, or of the file it names. @throws Error that says what is wrong and nothing of the keys. */
export function readKeyRing(source?: Record<string, string | undefined>): KeyRing {
  return parseKeyRing(readEnv(keyRingEnv, source).ENCRYPTION_KEY);
}

function parseKey(text: string): Key {
  const colon = text.indexOf(':');
  const encoded = text.slice(colon + 1).trim();
  const secret = Buffer.from(encoded, 'base64');
  if (!base64.test(encoded) || secret.length !== keyBytes) throw new Error('a key is 32 bytes in base64');
  const id = colon < 0 ? fingerprint(secret) : text.slice(0, colon).trim();
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(id)) throw new Error('the name of a key has 1 to 64 letters, digits, . _ or -');
  return { id, secret };
}

/** A key without a name is known by its own fingerprint. */
function fingerprint(secret: Buffer): string {
  return createHash('sha256').update('overtone encryption key\n').update(secret).digest('hex').slice(0, 16);
}
