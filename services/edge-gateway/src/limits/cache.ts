import type { Log, Metrics } from '@overtone/service-kit';
import { Redis } from 'ioredis';

export type Cache = ReturnType<typeof createCache>;

/** A Redis that may be missing: a look-up never waits for a dead one, and a connection that does not respond is replaced. */
export function createCache(url: string, log: Log, metrics: Metrics) {
  const redis = new Redis(url, {
    lazyConnect: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 1_000,
    socketTimeout: 2_000,
    retryStrategy: (times) => Math.min(5_000, 100 * 2 ** Math.min(6, times)),
  });
  let reported = false;
  redis.on('error', (err: Error) => {
    if (!reported) log.warn({ err }, 'cache lost');
    reported = true;
  });
  redis.on('ready', () => {
    reported = false;
  });
  return {
    redis,
    ping: async () => void (await redis.ping()),
    count: (result: 'hit' | 'miss') => metrics.cacheOps.inc({ cache: 'redis', result }),
    close: () => redis.disconnect(),
  };
}
