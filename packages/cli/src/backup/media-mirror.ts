import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hasTable, restoreMedia, withClient, type MediaReport } from '@overtone/backup';
import type { ObjectStoreEnv } from '@overtone/object-store';
import { folderMarker, markFolder } from '@overtone/service-kit/folder-marker';
import { parseKeyRing, unseal } from '@overtone/service-kit/sealing';
import { z } from 'zod';
import { messageOf, Refusal } from '../refusal.ts';
import type { Terminal } from '../terminal.ts';
import { bucketOf, isBucket } from './location.ts';
import { megabytes } from './sizes.ts';

type Media = {
  readonly databaseUrl: string;
  readonly objectStore: () => ObjectStoreEnv;
  /** The text of ENCRYPTION_KEY, which encrypts the secret key of the mirror's bucket. */
  readonly keys: string;
  /** A folder or `s3://bucket`; without it the mirror of the settings in the database. */
  readonly place: string | undefined;
  readonly terminal: Terminal;
};

/** Copies objects that are missing from the media mirror, and prints what could not be copied. @returns whether all could. */
export async function copyFromMirror({ databaseUrl, objectStore, keys, place, terminal }: Media): Promise<boolean> {
  const mirror = place === undefined ? await mirrorOfSettings(databaseUrl, keys) : mirrorAt(place);
  const { createObjectStore } = await import('@overtone/object-store');
  const targetEnv = objectStore();
  // A new disk in place of a lost one becomes the store by this command.
  if (!targetEnv.S3_ENDPOINT && targetEnv.OBJECT_STORE_DIR) await markFolder(targetEnv.OBJECT_STORE_DIR);
  const [source, target] = [createObjectStore(mirror), createObjectStore(targetEnv)];
  terminal.busy('copying recordings from the media mirror');
  try {
    const onProgress = ({ copied, bytes }: MediaReport): void =>
      terminal.busy(`copying recordings from the media mirror: ${copied} objects, ${megabytes(bytes)}`);
    return report(await restoreMedia({ databaseUrl, mirror: source, target, onProgress }), terminal);
  } finally {
    source.close();
    target.close();
  }
}

function report(
  { copied, bytes, alreadyThere, unverified, differing, failed }: MediaReport,
  terminal: Terminal,
): boolean {
  terminal.done(
    `${copied} objects (${megabytes(bytes)}) were copied from the media mirror; ${alreadyThere} were there already`,
  );
  if (unverified > 0) terminal.warn(`${unverified} of them have no known hash: only their sizes were compared`);
  for (const key of differing) terminal.warn(`the copy in the mirror has another content, and was not used: ${key}`);
  for (const { key, error } of failed) terminal.warn(`could not be copied: ${key}: ${error}`);
  if (failed.length > 0) terminal.warn('Copy the rest with: ./overtone restore --media-from-mirror');
  return differing.length + failed.length === 0;
}

function mirrorAt(place: string): ObjectStoreEnv {
  if (!isBucket(place)) return folderAt(resolve(place));
  const { endpoint, region, bucket, prefix, accessKeyId, secretAccessKey } = bucketOf(place, 'OT_MIRROR');
  if (prefix !== '') throw new Refusal(`A media mirror has a bucket of its own: s3://${bucket}`);
  return {
    S3_ENDPOINT: endpoint,
    S3_REGION: region,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  };
}

// A store would create the folder, and find nothing in it.
function folderAt(folder: string): ObjectStoreEnv {
  const mount = 'Mount it, or name another place with --mirror.';
  if (!existsSync(folder)) throw new Refusal(`The media mirror ${folder} is not there. ${mount}`);
  // What a mirror has: the file of a chosen folder, or copies of an earlier version.
  if (![folderMarker, 'objects'].some((name) => existsSync(join(folder, name))))
    throw new Refusal(`${folder} is no media mirror: it has no objects. Is its disk mounted? ${mount}`);
  return { OBJECT_STORE_DIR: folder, OBJECT_STORE_RESERVE_BYTES: 0, S3_REGION: '' };
}

const settingsSchema = z.object({
  destination_type: z.enum(['folder', 's3']).default('folder'),
  destination: z.string().default(''),
  s3_endpoint_url: z.string().default(''),
  s3_region: z.string().default('us-east-1'),
  s3_bucket: z.string().default(''),
  s3_access_key_id: z.string().default(''),
  s3_secret_key: z.object({ key_id: z.string(), text: z.string() }).optional(),
});

async function mirrorOfSettings(databaseUrl: string, keys: string): Promise<ObjectStoreEnv> {
  const settings = settingsSchema.parse(await readMirrorSettings(databaseUrl));
  const { destination_type: type, destination, s3_endpoint_url: endpoint, s3_secret_key: sealed } = settings;
  if (type === 'folder' && destination !== '') return folderAt(destination);
  if (type === 'folder' || endpoint === '' || sealed === undefined)
    throw new Refusal('The backup has no settings of a media mirror. Name its place with --mirror.');
  const secret = unseal(parseKeyRing(keys), 'mirror.s3_secret_key', { keyId: sealed.key_id, text: sealed.text });
  if (secret === null)
    throw new Refusal('The secret key of the media mirror cannot be decrypted. Name its place with --mirror.');
  return {
    S3_ENDPOINT: endpoint,
    S3_REGION: settings.s3_region,
    S3_BUCKET: settings.s3_bucket,
    S3_ACCESS_KEY_ID: settings.s3_access_key_id,
    S3_SECRET_ACCESS_KEY: secret,
  };
}

async function readMirrorSettings(databaseUrl: string): Promise<Record<string, unknown>> {
  return await withClient(databaseUrl, async (client) => {
    // A backup of an older version may have no such settings yet.
    if (!(await hasTable(client, 'operations_settings'))) return {};
    const { rows } = await client.query<{ key: string; value: unknown }>(
      `select key, value from operations_settings where key like 'mirror.%'`,
    );
    return Object.fromEntries(rows.map(({ key, value }) => [key.slice('mirror.'.length), value]));
  });
}

/** Like {@link copyFromMirror}, when the restore itself has succeeded already. */
export async function tryToCopyFromMirror(media: Media): Promise<boolean> {
  return await copyFromMirror(media).catch((error: unknown) => {
    media.terminal.warn(`Recordings could not be copied from the media mirror: ${messageOf(error)}`);
    media.terminal.warn('Copy them with: ./overtone restore --media-from-mirror');
    return false;
  });
}
