import { Readable } from 'node:stream';
import { BackupError } from './errors.ts';

/** 32 MiB of memory; the format's own default, 18, takes 256 MiB. The settings ask for long passphrases instead. */
const scryptWorkFactor = 15;

/** Encrypts a stream with a passphrase in the age format (scrypt, ChaCha20-Poly1305 in blocks of 64 KiB). */
export async function encrypt(plain: Readable, passphrase: string): Promise<Readable> {
  // Loaded only when something is encrypted: it takes forty megabytes of memory.
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(scryptWorkFactor);
  encrypter.setPassphrase(passphrase);
  return fromWeb(await encrypter.encrypt(toWeb(plain)));
}

/** Each step more doubles the memory, and the author of the file chooses the header. */
const maximalWorkFactor = 18;
const headerBytes = 200;

/** @throws BackupError passphrase_wrong, or the stream fails when the text was altered. */
export async function decrypt(encrypted: Readable, passphrase: string): Promise<Readable> {
  const { Decrypter } = await import('age-encryption');
  const { header, whole: sealed } = await readHeader(encrypted);
  const [, workFactor = ''] = /^age-encryption\.org\/v1\n-> scrypt \S+ (\d+)\n/.exec(header) ?? [];
  if (Number(workFactor) > maximalWorkFactor) {
    sealed.destroy();
    throw new BackupError(
      'backup_damaged',
      `The encrypted file asks for a work factor of ${workFactor}; at most ${maximalWorkFactor} is accepted.`,
    );
  }
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return fromWeb(await decrypter.decrypt(toWeb(sealed)));
  } catch (cause) {
    const { errored } = encrypted;
    sealed.destroy();
    // The network was lost, and not the passphrase.
    if (errored !== null) throw errored;
    throw new BackupError('passphrase_wrong', 'The backup cannot be decrypted with this passphrase.', { cause });
  }
}

/** The first bytes of a stream as text, and a stream that still has all of them. */
async function readHeader(stream: Readable): Promise<{ header: string; whole: Readable }> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  const first: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < headerBytes) {
    const { done, value } = await chunks.next();
    if (done) break;
    first.push(value);
    bytes += value.length;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield* first;
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
    } finally {
      stream.destroy();
    }
  }
  const whole = Readable.from(all(), { objectMode: false });
  // A generator that was not begun runs no `finally`.
  whole.once('close', () => stream.destroy());
  return { header: Buffer.concat(first).toString('latin1'), whole };
}

/** Without a strategy in bytes Node would buffer 65,536 chunks, so that a large dump would be in memory as a whole. */
function toWeb(stream: Readable): ReadableStream<Uint8Array> {
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: 1024 * 1024 });
  return Readable.toWeb(stream, { strategy }) as ReadableStream<Uint8Array>;
}

function fromWeb(stream: ReadableStream<Uint8Array>): Readable {
  return Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]);
}
