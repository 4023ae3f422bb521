import { basename, dirname, resolve } from 'node:path';
import { openDestination, type Destination, type S3Destination } from '@overtone/backup';
import { readEnv } from '@overtone/service-kit/env';
import { z } from 'zod';
import { passphraseEnv } from '../configuration/script-variables.ts';
import { Refusal } from '../refusal.ts';

const bucketPattern = /^s3:\/\/([^/]+)(?:\/(.*))?$/;

/** Opens a folder, or `s3://bucket/prefix` with the server and the keys of the environment (OT_BACKUP_S3_ENDPOINT, ...). */
export function openPlace(place: string): Destination {
  if (isBucket(place)) return openDestination({ s3: bucketOf(place, 'OT_BACKUP') });
  return openDestination({ folder: resolve(place) });
}

/** Whether a place is `s3://bucket/prefix`; otherwise it is a folder. @throws Refusal for another kind of address. */
export function isBucket(place: string): boolean {
  if (bucketPattern.test(place)) return true;
  if (place === '' || /^[a-z][a-z0-9+.-]*:/i.test(place))
    throw new Refusal(`${place || 'An empty name'} is neither a folder nor s3://bucket/prefix.`);
  return false;
}

/**
 * How to reach `s3://bucket/prefix`: the server and the keys are `<variables>_S3_ENDPOINT`, ... of the environment. They are
 * not those of the object store, which may be another server.
 */
export function bucketOf(place: string, variables: 'OT_BACKUP' | 'OT_MIRROR'): S3Destination {
  const [, bucket = '', prefix = ''] = bucketPattern.exec(place) ?? [];
  const [endpoint, region, keyId, secret] = ['ENDPOINT', 'REGION', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY'].map(
    (name) => `${variables}_S3_${name}`,
  ) as [string, string, string, string];
  try {
    const env = readEnv({
      [endpoint]: z.url(),
      [region]: z.string().default('us-east-1'),
      [keyId]: z.string(),
      [secret]: z.string(),
    }) as Readonly<Record<string, string>>;
    return {
      endpoint: env[endpoint]!,
      region: env[region]!,
      bucket,
      prefix: prefix.replace(/\/$/, ''),
      accessKeyId: env[keyId]!,
      secretAccessKey: env[secret]!,
    };
  } catch (cause) {
    throw new Refusal(`${place} needs ${endpoint}, ${keyId} and ${secret} (or its _FILE).`, { cause });
  }
}

/** The place and the name of one file of a backup: a path or `s3://bucket/prefix/file`. */
export function openFile(file: string): { destination: Destination; name: string } {
  const slash = file.lastIndexOf('/');
  if (file.startsWith('s3://')) return { destination: openPlace(file.slice(0, slash)), name: file.slice(slash + 1) };
  return { destination: openPlace(dirname(resolve(file))), name: basename(file) };
}

/** The passphrase of encrypted backups; OT_BACKUP_PASSPHRASE or the file that OT_BACKUP_PASSPHRASE_FILE names. */
export function givenPassphrase(): string | undefined {
  try {
    return readEnv(passphraseEnv).OT_BACKUP_PASSPHRASE;
  } catch (cause) {
    throw new Refusal('OT_BACKUP_PASSPHRASE must have at least 12 characters.', { cause });
  }
}
