import { describe, expect, it } from '@jest/globals';
import { queueObjectsOf } from './queues.ts';

const now = Date.parse('2026-01-01T12:00:00Z');

function ago(ms: number): Date {
  return new Date(now - ms);
}

describe('queues', () => {
  it('include each queue that has a job kind, also when it is empty, and no other queue', () => {
    const list = queueObjectsOf(new Map(), new Map(), [], new Map());
    expect(list.map((queue) => queue.queue)).toEqual(['gpu', 'download', 'cpu', 'utility', 'nlp', 'embedding']);
    expect(list.every((queue) => queue.depth === 0 && queue.paused === null)).toBe(true);
  });
  it('show who paused them and why, without a name when it is unknown', () => {
    const pause = { queue: 'gpu', reason: 'New driver', pausedBy: 'ada', pausedAt: ago(5_000) };
    const gauges = new Map([
      ['gpu', { depth: 4, reserved: 1, remote: 0, orphaned: 0, oldestUnackedSeconds: 3.14159 }],
    ] as const);
    const counts = new Map([['gpu', { retrying: 2, dead: 7 }]]);
    const of = (names: Map<string, string>) => queueObjectsOf(gauges, counts, [pause], names)[0];
    expect(of(new Map([['ada', 'Ada']]))).toEqual({
      queue: 'gpu',
      depth: 4,
      reserved: 1,
      orphaned: 0,
      oldest_unacked_seconds: 3.1,
      retrying: 2,
      dead: 7,
      paused: { reason: 'New driver', by: 'ada', by_name: 'Ada', at: ago(5_000).toISOString() },
    });
    expect(of(new Map())?.paused?.by_name).toBeNull();
  });
});
