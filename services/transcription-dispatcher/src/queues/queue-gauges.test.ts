import { describe, expect, it } from '@jest/globals';
import { queues, stageJobs } from '@overtone/contracts';
import type { Lease } from '../workers/workers.ts';
import { cached, gaugesOf } from './queue-gauges.ts';
import { durables } from './queues.ts';

const now = 100_000;

function isWorkerLive(worker: string) {
  return worker !== 'dead';
}

function lease(queue: string, ageMs: number, leftMs: number, worker = 'w'): Lease {
  return {
    worker,
    service: 'transcription-worker',
    queue,
    token: 1,
    ticket: '',
    deliveredAt: now - ageMs,
    expiresAt: now + leftMs,
  };
}

describe('queue gauges', () => {
  it('include every queue, also an empty one', () => {
    expect([...gaugesOf([], [], isWorkerLive, now).keys()]).toEqual([...queues]);
  });
  it('sum the depth of a queue over its domains', () => {
    const states = [
      { durable: 'cpu-media', pending: 2, unacknowledged: 0 },
      { durable: 'cpu-transcription', pending: 3, unacknowledged: 0 },
      { durable: 'gpu-transcription', pending: 7, unacknowledged: 0 },
    ];
    expect(gaugesOf(states, [], isWorkerLive, now).get('cpu')?.depth).toBe(5);
  });
  it('count tasks of live workers as reserved, those of dead ones as orphaned, and report the oldest age', () => {
    expect(gaugesOf([], [lease('gpu', 4_000, 10_000), lease('gpu', 90_000, -1)], isWorkerLive, now).get('gpu')).toEqual(
      {
        depth: 0,
        reserved: 1,
        remote: 0,
        orphaned: 1,
        oldestUnackedSeconds: 90,
      },
    );
  });
  it('count a task as orphaned when its worker sends no heartbeat, although its lease is valid', () => {
    const gauges = gaugesOf([], [lease('gpu', 4_000, 10_000, 'dead')], isWorkerLive, now).get('gpu');
    expect(gauges).toMatchObject({ reserved: 0, orphaned: 1 });
  });
  it('count the tasks of live workers that only wait for another server', () => {
    const leases = [lease('gpu', 1, 10_000), lease('gpu', 1, 10_000), lease('gpu', 1, 10_000, 'dead')];
    const remote = leases.slice(1).map((held) => ({ ...held, remote: true }));
    const gauges = gaugesOf([], [...leases.slice(0, 1), ...remote], isWorkerLive, now).get('gpu');
    expect(gauges).toMatchObject({ reserved: 2, remote: 1, orphaned: 1 });
  });
  it('count returned messages as waiting and held ones not', () => {
    const states = [{ durable: 'gpu-transcription', pending: 2, unacknowledged: 3 }];
    expect(gaugesOf(states, [lease('gpu', 1, 10_000)], isWorkerLive, now).get('gpu')?.depth).toBe(4);
  });
  it('do not reduce the depth for a lease whose message the broker no longer has', () => {
    const states = [{ durable: 'gpu-transcription', pending: 2, unacknowledged: 0 }];
    expect(gaugesOf(states, [lease('gpu', 1, 10_000)], isWorkerLive, now).get('gpu')?.depth).toBe(2);
  });
});

it('every job has a durable that filters its subject', () => {
  for (const job of Object.values(stageJobs)) {
    const prefix = job.subject.slice(0, job.subject.lastIndexOf('.') + 1);
    expect(durables.filter((durable) => durable.filter === `${prefix}*`)).toHaveLength(1);
  }
});

describe('a cached result', () => {
  it('is read once for concurrent calls', async () => {
    let asked = 0;
    const read = cached(1_000, async () => ++asked);
    expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
  });
  it('is not cached when the read fails', async () => {
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
