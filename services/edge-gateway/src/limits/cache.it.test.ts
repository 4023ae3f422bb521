import { expect, it } from '@jest/globals';
import { createLog, createMetrics } from '@overtone/service-kit';
import { startFaultyProxy, startRedis, waitFor } from '@overtone/testkit';
import { cleanUpAfterTest, stopAfterFile } from '@overtone/testkit/cleanup';
import { createCache } from './cache.ts';
import { createLimits } from './limits.ts';

const redis = await stopAfterFile(startRedis());
const proxy = await stopAfterFile(startFaultyProxy({ port: redis.port }));
const log = createLog('edge-gateway', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });

it('replaces a connection to Redis that was dropped without a message', async () => {
  const cache = createCache(`redis://127.0.0.1:${proxy.port}`, log, createMetrics());
  cleanUpAfterTest(async () => cache.close());
  const answers = (): Promise<boolean> =>
    cache.ping().then(
      () => true,
      () => false,
    );
  await waitFor(answers);
  proxy.silenceOpen();
  expect(await answers()).toBe(false);
  await waitFor(answers);
});

it('counts the first sign-in attempt of an address as a miss, and the next ones as hits', async () => {
  const metrics = createMetrics();
  const cache = createCache(redis.url, log, metrics);
  cleanUpAfterTest(async () => cache.close());
  const limits = createLimits(cache, { sessionPerMinute: 0, anonymousPerMinute: 0 });
  await waitFor(() => cache.redis.status === 'ready');
  for (let attempt = 0; attempt < 3; attempt++) await limits.signIn('192.0.2.1');
  const text = await metrics.registry.metrics();
  expect(text).toContain('cache_operations_total{cache="redis",result="miss"} 1\n');
  expect(text).toContain('cache_operations_total{cache="redis",result="hit"} 2\n');
});
