import { z } from 'zod';
import { createFolderStore } from './folder.adapter.ts';
import type { ObjectStore } from './object-store.ts';

/** Variables that choose the store: a folder, or a bucket of an S3 server. `*_FILE` variants are read by the kit. */
export const objectStoreEnv = {
  OBJECT_STORE_DIR: z.string().min(1).optional(),
  /** Bytes of the folder's disk that stay free for PostgreSQL, NATS and Redis; below that, storing is refused; 256 MiB by default. */
  OBJECT_STORE_RESERVE_BYTES: z.coerce.number().int().min(0).optional(),
  /** `true`: the folder is unavailable without the marker that `./overtone up` writes into it at the first start. */
  OBJECT_STORE_REQUIRES_MARKER: z.stringbool().optional(),
  S3_ENDPOINT: z.url().optional(),
  S3_BUCKET: z.string().min(3).optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
};

const parsed = z.object(objectStoreEnv);
/** The parsed variables. */
export type ObjectStoreEnv = z.infer<typeof parsed>;

/** Creates the store that the environment selects; S3 takes precedence when both are configured. */
export function createObjectStore(env: ObjectStoreEnv): ObjectStore {
  if (env.S3_ENDPOINT) {
    const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
    if (!bucket || !accessKeyId || !secretAccessKey) {
      throw new Error('S3_ENDPOINT needs S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY (or its _FILE)');
    }
    const options = { endpoint: env.S3_ENDPOINT, bucket, region: env.S3_REGION, accessKeyId, secretAccessKey };
    // The S3 SDK takes ten megabytes of memory, so it is loaded only when a bucket is used.
    return lazily(async () => (await import('./s3.adapter.ts')).createS3Store(options));
  }
  if (!env.OBJECT_STORE_DIR) throw new Error('set OBJECT_STORE_DIR, or S3_ENDPOINT with its bucket and keys');
  return createFolderStore({
    dir: env.OBJECT_STORE_DIR,
    reserveBytes: env.OBJECT_STORE_RESERVE_BYTES,
    requiresMarker: env.OBJECT_STORE_REQUIRES_MARKER,
  });
}

/** A store that is created on first use. */
function lazily(make: () => Promise<ObjectStore>): ObjectStore {
  let made: Promise<ObjectStore> | undefined;
  const store = (): Promise<ObjectStore> => (made ??= make());
  return {
    put: async (...args) => (await store()).put(...args),
    get: async (...args) => (await store()).get(...args),
    head: async (...args) => (await store()).head(...args),
    delete: async (...args) => (await store()).delete(...args),
    deletePrefix: async (...args) => (await store()).deletePrefix(...args),
    list: async function* (...args) {
      yield* (await store()).list(...args);
    },
    removeLeftovers: async () => (await store()).removeLeftovers(),
    ping: async (...args) => (await store()).ping(...args),
    space: async () => (await store()).space(),
    close: () => void made?.then((opened) => opened.close()),
  };
}
