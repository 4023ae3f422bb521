import { makeFolder } from '@overtone/backup';
import type { MirrorSettings } from '@overtone/contracts';
import { createObjectStore, type ObjectStore } from '@overtone/object-store';
import { invalid } from '@overtone/service-kit';
import { isMarked, markFolder } from '@overtone/service-kit/folder-marker';
import { isWithin, requireChosenFolder } from '../allowed-destination.ts';
import type { Target } from '../destination.ts';
import type { OperationsEnv } from '../env.ts';
import { hasDestination, type Secrets } from '../settings/settings.ts';

/** `identity` differs for every folder and bucket. */
export type Mirror = Target & {
  /** A folder loses it with its marker: nothing is written to what may be another disk, nothing counts as missing. */
  store: ObjectStore;
  identity: string;
  /** Before the first use of `store`. @throws BackupError destination_unavailable for a folder that is not the chosen one. */
  enter: () => Promise<void>;
};

/**
 * The mirror has the layout of the object store, so that the platform can be started with it.
 * @returns undefined while none is set. @throws AppError destination_same.
 */
export function openMirror(
  settings: MirrorSettings,
  secrets: Secrets,
  source: Pick<OperationsEnv, 'OBJECT_STORE_DIR' | 'S3_ENDPOINT' | 'S3_BUCKET'>,
): Mirror | undefined {
  if (!hasDestination(settings, secrets)) return undefined;
  const { destination: folder, s3_endpoint_url: endpoint, s3_bucket: bucket } = settings;
  const isFolder = settings.destination_type === 'folder';
  const isSame = isFolder
    ? source.OBJECT_STORE_DIR !== undefined && overlaps(folder, source.OBJECT_STORE_DIR)
    : source.S3_ENDPOINT !== undefined && sameServer(endpoint, source.S3_ENDPOINT) && bucket === source.S3_BUCKET;
  if (isSame) throw invalid('destination_same', 'The mirror must be kept elsewhere than the objects.');
  const store = createObjectStore(
    isFolder
      ? { OBJECT_STORE_DIR: folder, OBJECT_STORE_REQUIRES_MARKER: true, S3_REGION: '' }
      : {
          S3_ENDPOINT: endpoint,
          S3_BUCKET: bucket,
          S3_REGION: settings.s3_region,
          S3_ACCESS_KEY_ID: settings.s3_access_key_id,
          S3_SECRET_ACCESS_KEY: secrets.s3_secret_key ?? '',
        },
  );
  // A folder that is only tested has no marker yet.
  const unmarked = isFolder ? createObjectStore({ OBJECT_STORE_DIR: folder, S3_REGION: '' }) : store;
  const probe = async (): Promise<void> => {
    if (isFolder) return await requireChosenFolder(folder);
    // The first page of the listing is enough.
    for await (const object of store.list('files/')) if (object) break;
  };
  return {
    store,
    place: isFolder ? folder : `s3://${bucket}`,
    identity: isFolder ? folder : `${endpoint}/${bucket}`,
    check: async () => {
      if (isFolder) await makeFolder(folder);
      await checkStore(unmarked);
    },
    probe,
    enter: async () => {
      await probe();
      // Mirrors of earlier versions have none.
      if (isFolder && !(await isMarked(folder))) await markFolder(folder);
    },
    freeBytes: async () => (await unmarked.space())?.freeBytes ?? null,
    close: () => store.close(),
  };
}

async function checkStore(store: ObjectStore): Promise<void> {
  const key = `mirror-check-${process.pid}-${Date.now()}`;
  await store.put(key, key);
  const { stream } = await store.get(key);
  await stream.toArray();
  await store.delete(key);
}

function overlaps(folder: string, other: string): boolean {
  return isWithin(folder, other) || isWithin(other, folder);
}

function sameServer(left: string, right: string): boolean {
  return URL.canParse(left) && new URL(left).host === new URL(right).host;
}
