import { describe, expect, it } from '@jest/globals';
import { createLog } from './log.ts';
import { catchUp, periodic } from './periodic.ts';

const log = createLog('media', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });

function throwAtOnce(): Promise<void> {
  throw new Error('not connected');
}

const failures = [
  { failure: 'throws', fail: throwAtOnce },
  { failure: 'is rejected', fail: () => Promise.reject(new Error('no responders')) },
];

describe('catching up with another service', () => {
  it.each(failures)('is tried again soon when its request $failure', async ({ fail }) => {
    const retried = Promise.withResolvers<string>();
    const requests = [fail, async () => retried.resolve('retried')];
    const request = (): Promise<void> => (requests.shift() ?? throwAtOnce)();
    const running = catchUp('load access', 600_000, request).start(log);
    expect(await retried.promise).toBe('retried');
    await running.stop();
  });
});

describe('a periodic task', () => {
  it.each(failures)(
    'runs again after runs that $failure; the first one and the recovery are logged',
    async ({ fail }) => {
      const again = Promise.withResolvers<string>();
      const runs = [fail, fail, fail, async () => {}, async () => again.resolve('again')];
      const lines: unknown[] = [];
      const keep = (...line: unknown[]): void => void lines.push(line);
      const run = (): Promise<void> => (runs.shift() ?? (() => Promise.resolve()))();
      const running = periodic('clean up', 1, run).start(
        Object.assign(Object.create(log) as typeof log, { warn: keep, info: keep }),
      );
      expect(await again.promise).toBe('again');
      await running.stop();
      expect(lines).toEqual([
        [{ err: expect.any(Error), task: 'clean up' }, 'periodic task failed'],
        [{ task: 'clean up', failures: 3 }, 'periodic task works again'],
      ]);
    },
  );
});
