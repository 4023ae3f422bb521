import { describe, expect, test } from '@jest/globals';
import { queues, stageJobs } from '@overtone/contracts';
import type { Lease } from '../leases/leases.ts';
import { durables, gaugesOf } from './gauges.ts';
import { cached } from './cached.ts';

const now = 100_000;
const lives = (worker: string) => worker !== 'dead';
const lease = (queue: string, ageMs: number, leftMs: number, worker = 'w'): Lease => ({
  worker,
  service: 'transcription-worker',
  queue,
  token: 1,
  ticket: '',
  deliveredAt: now - ageMs,
  expiresAt: now + leftMs,
});

describe('queue gauges', () => {
  test('every queue has its numbers, also an empty one', () => {
    expect([...gaugesOf([], [], lives, now).keys()]).toEqual([...queues]);
  });
  test('the depth of a queue is the sum over its domains', () => {
    const states = [
      { durable: 'cpu-media', pending: 2, unacknowledged: 0 },
      { durable: 'cpu-transcription', pending: 3, unacknowledged: 0 },
      { durable: 'gpu-transcription', pending: 7, unacknowledged: 0 },
    ];
    expect(gaugesOf(states, [], lives, now).get('cpu')?.depth).toBe(5);
  });
  test('orders of live workers are reserved, those of dead ones orphaned, and the oldest tells its age', () => {
    expect(gaugesOf([], [lease('gpu', 4_000, 10_000), lease('gpu', 90_000, -1)], lives, now).get('gpu')).toEqual({
      depth: 0,
      reserved: 1,
      orphaned: 1,
      oldestUnackedSeconds: 90,
    });
  });
  test('an order of a worker that shows no sign of life is orphaned before its lease ends', () => {
    const gauges = gaugesOf([], [lease('gpu', 4_000, 10_000, 'dead')], lives, now).get('gpu');
    expect(gauges).toMatchObject({ reserved: 0, orphaned: 1 });
  });
  test('what was given back waits; what is held does not', () => {
    const states = [{ durable: 'gpu-transcription', pending: 2, unacknowledged: 3 }];
    expect(gaugesOf(states, [lease('gpu', 1, 10_000)], lives, now).get('gpu')?.depth).toBe(4);
  });
  test('a lease whose order the broker does not know any more takes nothing off the depth', () => {
    const states = [{ durable: 'gpu-transcription', pending: 2, unacknowledged: 0 }];
    expect(gaugesOf(states, [lease('gpu', 1, 10_000)], lives, now).get('gpu')?.depth).toBe(2);
  });
});

test('every job has a durable that takes its subject', () => {
  for (const job of Object.values(stageJobs)) {
    const prefix = job.subject.slice(0, job.subject.lastIndexOf('.') + 1);
    expect(durables.filter((d) => d.filter === `${prefix}*`)).toHaveLength(1);
  }
});

describe('a cached answer', () => {
  test('is asked for once, however many ask at the same time', async () => {
    let asked = 0;
    const read = cached(1_000, async () => ++asked);
    expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
  });
  test('is not kept when it is a failure', async () => {
    let asked = 0;
    const read = cached(1_000, async () => {
      asked += 1;
      if (asked === 1) throw new Error('no');
      return asked;
    });
    await expect(read()).rejects.toThrow('no');
    await expect(read()).resolves.toBe(2);
  });
});
