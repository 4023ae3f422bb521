import { createHash } from 'node:crypto';
import { parseKeyRing } from '@overtone/service-kit';
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
