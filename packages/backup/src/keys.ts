import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parseKeyRing } from '@overtone/service-kit/sealing';
import { decrypt } from './encryption.ts';
import { BackupError } from './errors.ts';

/** Fingerprints of the keys in the text of ENCRYPTION_KEY, whatever their names. @throws BackupError keys_invalid. */
export function keyFingerprints(encryptionKey: string): string[] {
  return keysOf(encryptionKey).map(({ fingerprint }) => fingerprint);
}

/**
 * The text of ENCRYPTION_KEY with the keys of `recovered` behind those of `current`, so that the settings of the backup
 * can be decrypted, too.
 */
export function withRecoveredKeys(current: string, recovered: string): string {
  const known = keysOf(current);
  const missing = keysOf(recovered).filter(({ fingerprint }) => !known.some((key) => key.fingerprint === fingerprint));
  return [...known, ...missing].map(({ text }) => text).join(',');
}

/**
 * The text of ENCRYPTION_KEY in a recovery file: the encrypted one beside a backup, or a copy of the key itself.
 * @throws BackupError passphrase_missing, passphrase_wrong, keys_invalid.
 */
export async function readKeys(file: Uint8Array, passphrase: string | undefined): Promise<string> {
  const isEncrypted = Buffer.from(file).toString('latin1').startsWith('age-encryption.org/');
  if (isEncrypted && passphrase === undefined)
    throw new BackupError('passphrase_missing', 'The file of the keys is encrypted; its passphrase is needed.');
  const keys = isEncrypted
    ? await text(await decrypt(Readable.from([file]), passphrase!))
    : Buffer.from(file).toString();
  keysOf(keys.trim());
  return keys.trim();
}

function keysOf(encryptionKey: string): { text: string; fingerprint: string }[] {
  try {
    const texts = encryptionKey.split(',').map((text) => text.trim());
    return parseKeyRing(encryptionKey).map(({ secret }, index) => ({
      text: texts[index]!,
      fingerprint: createHash('sha256').update('overtone backup key\n').update(secret).digest('hex').slice(0, 16),
    }));
  } catch (cause) {
    throw new BackupError('keys_invalid', `The encryption keys cannot be read: ${(cause as Error).message}`, { cause });
  }
}
