import type { TestServer } from '@overtone/testkit';
import { startSearchServer } from '@overtone/testkit/elasticsearch';
import { startS3, type S3Server } from '@overtone/testkit/s3';

/** The servers an installation on Kubernetes has in place of the embedded profile's folders. */
export type Stores = { objects: S3Server; search: TestServer };

/** Starts them at first use. */
export const storesBeside = () => {
  let started: Promise<Stores> | undefined;
  const start = async (): Promise<Stores> => {
    const [objects, search] = await Promise.all([startS3(), startSearchServer()]);
    return { objects, search };
  };
  const get = (): Promise<Stores> => (started ??= start());
  return {
    get,
    /** What tells the services of them. */
    environment: async (): Promise<Record<string, string>> => {
      const { objects, search } = await get();
      return {
        S3_ENDPOINT: objects.url,
        S3_BUCKET: objects.bucket,
        S3_ACCESS_KEY_ID: objects.accessKeyId,
        S3_SECRET_ACCESS_KEY: objects.secretAccessKey,
        ELASTICSEARCH_URL: search.url,
        // As in Kubernetes: time for whoever sends requests here to see that this one goes.
        DRAIN_DELAY_MS: '2000',
        // A client on a busy machine may be late to answer a ping; only a stop is to end a socket here.
        WS_HEARTBEAT_MS: '600000',
      };
    },
    stop: async (): Promise<void> => {
      const stores = await started?.catch(() => undefined);
      await Promise.all([stores?.objects.stop(), stores?.search.stop()]);
    },
  };
};
