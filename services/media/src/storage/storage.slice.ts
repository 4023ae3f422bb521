import { mediaRoutes } from '@overtone/contracts';
import { createObjectStore, hasObject, type ObjectStore, type ObjectStoreEnv } from '@overtone/object-store';
import { handle, periodic, unavailable, type Log, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';

const hour = 3_600_000;
const lookEveryMs = 10_000;

/** The object store of the recordings and everything derived from them. */
export function createStorageSlice({
  env,
  db,
  log,
}: {
  env: ObjectStoreEnv;
  db: Db;
  log: Log;
}): Slice & { objects: ObjectStore } {
  let isEmptied = false;
  const requireLibrary = (): void => {
    if (!isEmptied) return;
    throw unavailable(
      'storage_unavailable',
      'The object storage is empty, but the library has recordings. Is the right folder or bucket connected?',
    );
  };
  const store = createObjectStore(env);
  // Recordings must not be divided between two stores. A folder with the marker is known to be the right one, empty or not.
  const objects: ObjectStore = {
    ...store,
    put: async (...args) => {
      if (env.OBJECT_STORE_REQUIRES_MARKER !== true) requireLibrary();
      return await store.put(...args);
    },
  };
  const removeLeftovers = async (): Promise<void> => void (await objects.removeLeftovers());
  return {
    objects,
    routes: [
      handle(mediaRoutes.storage, async () => {
        const space = await objects.space();
        if (!space) return { space: null };
        const { freeBytes, totalBytes, reserveBytes } = space;
        return { space: { free_bytes: freeBytes, total_bytes: totalBytes, reserve_bytes: reserveBytes } };
      }),
    ],
    parts: [
      {
        name: 'object store',
        start: () =>
          removeLeftovers().catch((err: unknown) => log.warn({ err: err as Error }, 'leftover cleanup failed')),
        stop: async () => objects.close(),
      },
    ],
    periodics: [
      periodic('remove leftovers of killed writers', hour, removeLeftovers),
      // Not in the check, which must not depend on the database.
      periodic('look for the recordings of the library', lookEveryMs, async () => {
        isEmptied = await lacksLibrary(db, objects);
      }),
    ],
    checks: {
      object_storage: {
        critical: false,
        probe: async (signal) => {
          await objects.ping(signal);
          requireLibrary();
        },
      },
    },
  };
}

/** Whether an empty folder or bucket is in place of the right one, such as a disk that is not mounted. */
async function lacksLibrary(db: Db, objects: ObjectStore): Promise<boolean> {
  const newest = await db.mediaFile.findFirst({
    where: { objectKey: { not: '' }, recordingRemovedAt: null, deletedAt: null },
    orderBy: { uploadTime: 'desc' },
    select: { objectKey: true },
  });
  if (!newest || (await hasObject(objects, newest.objectKey))) return false;
  for await (const _ of objects.list(`${newest.objectKey.split('/')[0]}/`)) return false;
  return true;
}
