import { buffer } from 'node:stream/consumers';
import {
  BackupError,
  keyFingerprints,
  keysEnding,
  readKeys,
  verifyMaker,
  withClient,
  withRecoveredKeys,
  type Destination,
  type Manifest,
} from '@overtone/backup';
import { parseKeyRing, unseal } from '@overtone/service-kit/sealing';
import { messageOf, Refusal } from '../refusal.ts';
import { openFile } from './location.ts';

type KeySource = {
  readonly manifest: Manifest;
  /** Of the backup. */
  readonly destination: Destination;
  /** The text of ENCRYPTION_KEY of the instance. */
  readonly present: string;
  /** A path or s3://bucket/prefix/file. */
  readonly recoveryKeys?: string | undefined;
  readonly passphrase: string | undefined;
  /** Restores although the key of a plain backup is lost. */
  readonly withoutKeys?: boolean | undefined;
};

/** The text of ENCRYPTION_KEY after the restore. The keys of an encrypted backup are read from the file beside it. */
export async function keysAfterRestore(source: KeySource): Promise<string> {
  const { manifest, destination, present, recoveryKeys, passphrase, withoutKeys } = source;
  if (recoveryKeys !== undefined) {
    const { destination: place, name } = openFile(recoveryKeys);
    try {
      return requireKeys(
        manifest,
        withRecoveredKeys(present, await readKeysFile(place, name, passphrase)),
        withoutKeys,
      );
    } finally {
      place.close();
    }
  }
  if (missingKeys(manifest, present).length === 0 || !manifest.dump.encrypted || passphrase === undefined)
    return requireKeys(manifest, present, withoutKeys);
  const recovered = await readKeysFile(destination, `${manifest.name}${keysEnding}`, passphrase).catch(
    (error: unknown) => {
      if (error instanceof BackupError && error.code === 'backup_missing') return undefined;
      throw error;
    },
  );
  return requireKeys(manifest, recovered === undefined ? present : withRecoveredKeys(present, recovered), withoutKeys);
}

/** @throws Refusal backup_unverified unless the backup was made with one of the keys, or a person accepts what that means. */
export function requireKnownMaker(
  manifest: Manifest,
  keys: string,
  { acceptUnverifiedBackup }: { readonly acceptUnverifiedBackup?: boolean | undefined },
): void {
  if (acceptUnverifiedBackup === true) return;
  try {
    verifyMaker(manifest, keys);
  } catch (cause) {
    throw new Refusal(
      `${messageOf(cause)} Nothing was touched. Its author decides who may sign in after the restore, and what every ` +
        'recording says. If you know that it is yours, add --accept-unverified-backup. (backup_unverified)',
      { cause },
    );
  }
}

/** The names of the stored secrets that none of the keys decrypts. */
export async function unreadableSecrets(databaseUrl: string, keys: string): Promise<string[]> {
  const rows = await withClient(databaseUrl, async (client) => {
    // A backup of an older version may have no such settings yet.
    const { rowCount } = await client.query(`select 1 where to_regclass('public.auth_config') is not null`);
    if (!rowCount) return [];
    const found = await client.query<{ name: string; value: unknown; key_id: string }>(
      'select config_key as name, config_value as value, key_id from auth_config where is_sensitive order by 1',
    );
    return found.rows;
  });
  const ring = parseKeyRing(keys);
  return rows
    .filter(({ name, value, key_id }) => unseal(ring, name, { keyId: key_id, text: String(value) }) === null)
    .map(({ name }) => name);
}

async function readKeysFile(destination: Destination, name: string, passphrase: string | undefined): Promise<string> {
  return await readKeys(await buffer(await destination.get(name)), passphrase);
}

function missingKeys(manifest: Manifest, keys: string): string[] {
  const known = keyFingerprints(keys);
  return manifest.encryption_keys.filter((key) => !known.includes(key));
}

function requireKeys(manifest: Manifest, keys: string, withoutKeys = false): string {
  const missing = missingKeys(manifest, keys);
  if (missing.length === 0 || withoutKeys) return keys;
  throw new Refusal(
    `The secrets in this backup are encrypted with another ENCRYPTION_KEY (fingerprint ${missing.join(', ')}). Nothing was ` +
      'touched. Give the keys with --recovery-keys FILE: the .keys.age file beside an encrypted backup, or a copy of the ' +
      'file encryption_key. If they are lost, --without-keys restores everything else. (keys_missing)',
  );
}
