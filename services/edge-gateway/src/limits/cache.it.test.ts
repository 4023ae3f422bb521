import { expect, it } from '@jest/globals';
import { createLog, createMetrics } from '@overtone/service-kit';
import { startFaultyProxy, startRedis, waitFor } from '@overtone/testkit';
import { cleanUpAfterTest, stopAfterFile } from '@overtone/testkit/cleanup';
import { createCache } from './cache.ts';

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
