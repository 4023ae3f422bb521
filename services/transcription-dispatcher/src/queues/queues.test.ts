import { describe, expect, it } from '@jest/globals';
import { showOfflineMs, queueObjectsOf, workerObjectsOf } from './queues.ts';

const now = Date.parse('2026-01-01T12:00:00Z');

function ago(ms: number): Date {
  return new Date(now - ms);
}

const live = { service: 'transcription-worker', pulls: ['gpu-transcription'], engine: null, engineNote: null };

function seen(id: string, lastMs: number, firstMs = 3_600_000) {
  return {
    id,
    service: 'transcription-worker',
    pulls: ['cpu-media'],
    engine: null,
    engineNote: null,
    firstSeenAt: ago(firstMs),
    lastSeenAt: ago(lastMs),
  };
}

function doing(worker: string) {
  return {
    worker,
    task_uuid: '6f1b36bb-8a55-4a10-9a8f-1f5d0a4d1b5e',
    stage: 'transcribe' as const,
    media_file_id: '6f1b36bb-8a55-4a10-9a8f-1f5d0a4d1b5f',
    file_title: null,
    progress: 0.5,
    since: ago(1_000).toISOString(),
  };
}

describe('queues', () => {
  it('include each queue that has a job kind, also when it is empty, and no other queue', () => {
    const list = queueObjectsOf(new Map(), new Map(), [], new Map());
    expect(list.map((q) => q.queue)).toEqual(['gpu', 'cpu', 'utility', 'embedding']);
    expect(list.every((q) => q.depth === 0 && q.paused === null)).toBe(true);
  });
  it('show who paused them and why, without a name when it is unknown', () => {
    const pause = { queue: 'gpu', reason: 'New driver', pausedBy: 'ada', pausedAt: ago(5_000) };
    const gauges = new Map([['gpu', { depth: 4, reserved: 1, orphaned: 0, oldestUnackedSeconds: 3.14159 }]] as const);
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

describe('workers', () => {
  it('are online while they send heartbeats, with their running tasks', () => {
    const fleet = new Map([['worker.a', { ...live, expiresAt: now + 1 }]]);
    const [a] = workerObjectsOf(fleet, [seen('a', 4_000)], [doing('a'), doing('b')], now);
    expect(a).toMatchObject({ id: 'a', state: 'online', since: ago(3_600_000).toISOString() });
    expect(a?.doing).toHaveLength(1);
    expect(a?.doing[0]).not.toHaveProperty('worker');
  });
  it('are shown as offline for ten minutes, then removed', () => {
    const fleet = new Map([['worker.a', { ...live, expiresAt: now - 1 }]]);
    const states = (lastMs: number) => workerObjectsOf(fleet, [seen('a', lastMs)], [], now).map((x) => x.state);
    expect(states(1_000)).toEqual(['offline']);
    expect(states(showOfflineMs)).toEqual(['offline']);
    expect(states(showOfflineMs + 1)).toEqual([]);
  });
  it('are sorted: online ones first, then offline ones by their last heartbeat', () => {
    const fleet = new Map(['b', 'a'].map((id) => [`worker.${id}`, { ...live, expiresAt: now + 1 }]));
    const all = workerObjectsOf(fleet, [seen('x', 9_000), seen('y', 3_000), seen('a', 0)], [], now);
    expect(all.map((x) => x.id)).toEqual(['a', 'b', 'y', 'x']);
  });
});
