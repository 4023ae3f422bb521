import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { recordActivity, sleepUntilActivity } from './activity.ts';
import { runAsService } from './current-service.ts';
import { createLog } from './log.ts';
import { catchUp, periodic, restBefore, restingPeriodic } from './periodic.ts';

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

  it('is done again at a request, also at one that arrives during a run', async () => {
    const third = Promise.withResolvers<string>();
    const idle = Promise.withResolvers<void>();
    const runs = [
      async () => task.runNow(),
      async () => void setImmediate(idle.resolve),
      async () => third.resolve('third run'),
    ];
    const task = catchUp('load access', 600_000, () => (runs.shift() ?? throwAtOnce)());
    const running = task.start(log);
    await idle.promise;
    task.runNow();
    expect(await third.promise).toBe('third run');
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

describe('a run that hangs', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it.each([
    { kind: 'a periodic task', create: (work: () => Promise<void>) => periodic('clean up', 1, work) },
    { kind: 'catching up', create: (work: () => Promise<void>) => catchUp('clean up', 1, work) },
  ])('of $kind is logged once with its name, and so is its end', async ({ create }) => {
    const hanging = Promise.withResolvers<void>();
    const again = Promise.withResolvers<string>();
    const lines: unknown[] = [];
    const keep = (...line: unknown[]): void => void lines.push(line);
    let runs = 0;
    const running = create(() => {
      runs += 1;
      if (runs > 1) again.resolve('again');
      return runs === 1 ? hanging.promise : Promise.resolve();
    }).start(Object.assign(Object.create(log) as typeof log, { warn: keep, info: keep }));
    while (runs === 0) await jest.advanceTimersByTimeAsync(1);
    await jest.advanceTimersByTimeAsync(599_000);
    expect(lines).toEqual([]);
    await jest.advanceTimersByTimeAsync(601_000);
    hanging.resolve();
    await jest.advanceTimersByTimeAsync(1);
    expect(lines).toEqual([
      [{ task: 'clean up', minutes: 10 }, 'periodic task still running'],
      [{ task: 'clean up', minutes: 20 }, 'long periodic task ended'],
    ]);
    jest.useRealTimers();
    expect(await again.promise).toBe('again');
    await running.stop();
  });
});

describe('a resting periodic task', () => {
  const now = Date.parse('2026-11-28T12:00:00Z');

  it.each([
    { due: 'at no known time', inMs: null, rest: 10_000 },
    { due: 'in an hour', inMs: 3_600_000, rest: 10_000 },
    { due: 'in four seconds', inMs: 4_000, rest: 3_500 },
    { due: 'within its interval', inMs: 300, rest: 0 },
    { due: 'already', inMs: -5_000, rest: 0 },
  ])('rests for $rest ms when work is due $due', ({ inMs, rest }) => {
    expect(restBefore(inMs === null ? null : new Date(now + inMs), 500, now)).toBe(rest);
  });

  it('ends its rest with the next activity of the service', async () => {
    const resting = sleepUntilActivity(3_600_000, new AbortController().signal);
    recordActivity();
    await resting;
  });

  it('rests on while another service of the process is active', async () => {
    const stopped = new AbortController();
    let rests = true;
    const resting = runAsService({ name: 'media' }, () => sleepUntilActivity(3_600_000, stopped.signal)).then(
      () => (rests = false),
    );
    runAsService({ name: 'identity' }, recordActivity);
    recordActivity();
    await new Promise(setImmediate);
    expect(rests).toBe(true);
    runAsService({ name: 'media' }, recordActivity);
    await resting;
  });

  it('ends its rest when it is stopped', async () => {
    const stopped = new AbortController();
    const resting = sleepUntilActivity(3_600_000, stopped.signal);
    stopped.abort();
    await resting;
  });

  it('runs at its interval while the service is active', async () => {
    const again = Promise.withResolvers<string>();
    const runs = [async () => {}, async () => again.resolve('again')];
    recordActivity();
    const running = restingPeriodic('enqueue', 1, () => (runs.shift() ?? (() => Promise.resolve()))()).start(log);
    expect(await again.promise).toBe('again');
    await running.stop();
  });
});
