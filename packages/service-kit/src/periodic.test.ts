import { describe, expect, it } from '@jest/globals';
import { createLog } from './log.ts';
import { catchUp } from './periodic.ts';

const log = createLog('media', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });

function throwAtOnce(): Promise<void> {
  throw new Error('not connected');
}

describe('catching up with another service', () => {
  it.each([
    { failure: 'throws', fail: throwAtOnce },
    { failure: 'is rejected', fail: () => Promise.reject(new Error('no responders')) },
  ])(
    'is tried again soon when its request $failure',
    async ({ fail }) => {
      const retried = Promise.withResolvers<string>();
      const requests = [fail, async () => retried.resolve('retried')];
      const request = (): Promise<void> => (requests.shift() ?? throwAtOnce)();
      const running = catchUp('load access', 600_000, request).start(log);
      expect(await retried.promise).toBe('retried');
      await running.stop();
    },
    10_000,
  );
});
