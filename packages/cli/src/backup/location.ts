import { basename, dirname, resolve } from 'node:path';
import { openDestination, type Destination } from '@overtone/backup';
import { readEnv } from '@overtone/service-kit/env';
import { z } from 'zod';
import { Refusal } from '../refusal.ts';

const s3Env = {
  S3_ENDPOINT: z.url(),
  S3_REGION: z.string().default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string(),
  S3_SECRET_ACCESS_KEY: z.string(),
};

/** Opens a folder, or `s3://bucket/prefix` with the server and the keys of the environment (S3_ENDPOINT, ...). */
export function openPlace(place: string): Destination {
  const match = /^s3:\/\/([^/]+)\/?(.*?)\/?$/.exec(place);
  if (match === null) return openDestination({ folder: resolve(place) });
  const [, bucket = '', prefix = ''] = match;
  try {
    const { S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = readEnv(s3Env);
    return openDestination({
      s3: {
        endpoint: S3_ENDPOINT,
        region: S3_REGION,
        bucket,
        prefix,
        accessKeyId: S3_ACCESS_KEY_ID,
        secretAccessKey: S3_SECRET_ACCESS_KEY,
      },
    });
  } catch (cause) {
    throw new Refusal(`${place} needs S3_ENDPOINT, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY (or its _FILE).`, {
      cause,
    });
  }
}

/** The place and the name of one file of a backup: a path or `s3://bucket/prefix/file`. */
export function openFile(file: string): { destination: Destination; name: string } {
  const slash = file.lastIndexOf('/');
  if (file.startsWith('s3://')) return { destination: openPlace(file.slice(0, slash)), name: file.slice(slash + 1) };
  return { destination: openPlace(dirname(resolve(file))), name: basename(file) };
}

const passphraseEnv = { OT_BACKUP_PASSPHRASE: z.string().min(12).optional() };

/** The passphrase of encrypted backups; OT_BACKUP_PASSPHRASE or the file that OT_BACKUP_PASSPHRASE_FILE names. */
export function givenPassphrase(): string | undefined {
  try {
    return readEnv(passphraseEnv).OT_BACKUP_PASSPHRASE;
  } catch (cause) {
    throw new Refusal('OT_BACKUP_PASSPHRASE must have at least 12 characters.', { cause });
  }
}
