import { Readable } from 'node:stream';
import { BackupError } from './errors.ts';

/** Encrypts a stream with a passphrase in the age format (scrypt, ChaCha20-Poly1305 in blocks of 64 KiB). */
export async function encrypt(plain: Readable, passphrase: string): Promise<Readable> {
  // Loaded only when something is encrypted: it takes forty megabytes of memory.
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  // 64 MiB of memory; the default takes 256.
  encrypter.setScryptWorkFactor(16);
  encrypter.setPassphrase(passphrase);
  return fromWeb(await encrypter.encrypt(toWeb(plain)));
}

/** @throws BackupError passphrase_wrong, or the stream fails when the text was altered. */
export async function decrypt(sealed: Readable, passphrase: string): Promise<Readable> {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return fromWeb(await decrypter.decrypt(toWeb(sealed)));
  } catch (cause) {
    sealed.destroy();
    throw new BackupError('passphrase_wrong', 'The backup cannot be decrypted with this passphrase.', { cause });
  }
}

function toWeb(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}

function fromWeb(stream: ReadableStream<Uint8Array>): Readable {
  return Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]);
}
