import { Redis } from 'ioredis';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** A cache that may be missing: a look-up never waits for a dead Redis and never fails. */
export type Cache = {
  get: (key: string) => Promise<string | null>;
  set: (key: string, value: string, ttlSeconds: number) => Promise<void>;
  delete: (key: string) => Promise<void>;
  ping: () => Promise<void>;
  /** For libraries that need the client itself (rate limits). */
  redis: Redis;
  /** Counts a look-up that such a library made. */
  count: (result: 'hit' | 'miss') => void;
  close: () => void;
};

export function createCache(url: string, log: Log, metrics: Metrics): Cache {
  const redis = new Redis(url, {
    lazyConnect: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 1_000,
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
  const count: Cache['count'] = (result) => metrics.cacheOps.inc({ cache: 'redis', result });
  const quiet = async <T>(work: Promise<T>, fallback: T): Promise<T> => work.catch(() => fallback);
  return {
    get: async (key) => {
      const value = await quiet<string | null>(redis.get(key), null);
      count(value === null ? 'miss' : 'hit');
      return value;
    },
    set: async (key, value, ttl) => void (await quiet<string | null>(redis.set(key, value, 'EX', ttl), null)),
    delete: async (key) => void (await quiet(redis.del(key), 0)),
    ping: async () => void (await redis.ping()),
    redis,
    count,
    close: () => redis.disconnect(),
  };
}
