import type { TestServer } from '@overtone/testkit';
import { startSearchServer } from '@overtone/testkit/elasticsearch';
import { startS3, type S3Server } from '@overtone/testkit/s3';

/** The servers that replace the folders of the embedded profile in a Kubernetes installation. */
export type Stores = { objects: S3Server; search: TestServer };

/** Starts the servers at first use. */
export function createStores() {
  let started: Promise<Stores> | undefined;
  const start = async (): Promise<Stores> => {
    const [objects, search] = await Promise.all([startS3(), startSearchServer()]);
    return { objects, search };
  };
  const get = (): Promise<Stores> => (started ??= start());
  return {
    get,
    /** The environment variables with their addresses. */
    environment: async (): Promise<Record<string, string>> => {
      const { objects, search } = await get();
      return {
        S3_ENDPOINT: objects.url,
        S3_BUCKET: objects.bucket,
        S3_ACCESS_KEY_ID: objects.accessKeyId,
        S3_SECRET_ACCESS_KEY: objects.secretAccessKey,
        ELASTICSEARCH_URL: search.url,
        // As in Kubernetes: the load balancer needs time to remove a stopping replica.
        DRAIN_DELAY_MS: '2000',
        // On a busy machine a client can miss a ping; only a service stop may close a socket in these tests.
        WS_HEARTBEAT_MS: '600000',
      };
    },
    stop: async (): Promise<void> => {
      const stores = await started?.catch(() => undefined);
      await Promise.all([stores?.objects.stop(), stores?.search.stop()]);
    },
  };
}
