import { basename, dirname, resolve } from 'node:path';
import { openDestination, type Destination } from '@overtone/backup';
import { readEnv } from '@overtone/service-kit/env';
import { z } from 'zod';
import { Refusal } from '../refusal.ts';

/** Not the variables of the object store, which may be another server. */
const s3Env = {
  OT_BACKUP_S3_ENDPOINT: z.url(),
  OT_BACKUP_S3_REGION: z.string().default('us-east-1'),
  OT_BACKUP_S3_ACCESS_KEY_ID: z.string(),
  OT_BACKUP_S3_SECRET_ACCESS_KEY: z.string(),
};

/** Opens a folder, or `s3://bucket/prefix` with the server and the keys of the environment (OT_BACKUP_S3_ENDPOINT, ...). */
export function openPlace(place: string): Destination {
  const match = /^s3:\/\/([^/]+)\/?(.*?)\/?$/.exec(place);
  if (match === null) {
    if (place === '' || /^[a-z][a-z0-9+.-]*:/i.test(place))
      throw new Refusal(`${place || 'An empty name'} is neither a folder nor s3://bucket/prefix.`);
    return openDestination({ folder: resolve(place) });
  }
  const [, bucket = '', prefix = ''] = match;
  try {
    const env = readEnv(s3Env);
    return openDestination({
      s3: {
        endpoint: env.OT_BACKUP_S3_ENDPOINT,
        region: env.OT_BACKUP_S3_REGION,
        bucket,
        prefix,
        accessKeyId: env.OT_BACKUP_S3_ACCESS_KEY_ID,
        secretAccessKey: env.OT_BACKUP_S3_SECRET_ACCESS_KEY,
      },
    });
  } catch (cause) {
    throw new Refusal(
      `${place} needs OT_BACKUP_S3_ENDPOINT, OT_BACKUP_S3_ACCESS_KEY_ID and OT_BACKUP_S3_SECRET_ACCESS_KEY (or its _FILE).`,
      {
        cause,
      },
    );
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
