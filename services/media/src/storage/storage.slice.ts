import { createObjectStore, type ObjectStore, type ObjectStoreEnv } from '@overtone/object-store';
import { periodic, type Log, type Slice } from '@overtone/service-kit';

const hour = 3_600_000;

/** The object store of the recordings and everything derived from them. */
export function createStorageSlice({ env, log }: { env: ObjectStoreEnv; log: Log }): Slice & { objects: ObjectStore } {
  const objects = createObjectStore(env);
  const removeLeftovers = async (): Promise<void> => void (await objects.removeLeftovers());
  return {
    objects,
    parts: [
      {
        name: 'object store',
        start: () =>
          removeLeftovers().catch((err: unknown) => log.warn({ err: err as Error }, 'leftover cleanup failed')),
        stop: async () => objects.close(),
      },
    ],
    periodics: [periodic('remove leftovers of killed writers', hour, removeLeftovers)],
    checks: { object_storage: { critical: false, probe: (signal) => objects.ping(signal) } },
  };
}
