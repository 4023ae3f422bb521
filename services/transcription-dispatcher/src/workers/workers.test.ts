import { describe, expect, it } from '@jest/globals';
import { liveness } from '@overtone/contracts';
import {
  isWatchSettled,
  languagesOf,
  liveEntries,
  showOfflineMs,
  toLocalClock,
  workerObjectsOf,
  type WorkerState,
} from './workers.ts';

const hour = 3_600_000;
const localTime = 1_000_000_000;

function leaseWrittenAt(remoteTime: number) {
  return {
    saidAt: remoteTime,
    deliveredAt: remoteTime - 2_000,
    expiresAt: remoteTime + 4_000,
  };
}

describe('a lease from another host', () => {
  it.each([-hour, 0, hour])("is valid from its receipt when the host's clock is %i ms off", (offset) => {
    expect(toLocalClock(leaseWrittenAt(localTime + offset), localTime + offset / 2, localTime)).toMatchObject({
      deliveredAt: localTime - 2_000,
      expiresAt: localTime + 4_000,
    });
  });
  it("expires after its duration, whatever the host's clock shows", () => {
    const lease = toLocalClock(leaseWrittenAt(localTime + hour), localTime, localTime);
    const entries = new Map([['task.a', lease]]);
    expect(liveEntries(entries, localTime + 3_999)).toEqual(new Map([['a', lease]]));
    expect(liveEntries(entries, localTime + 4_000).size).toBe(0);
  });
  it("is valid from the broker's time when the writer sent none", () => {
    expect(toLocalClock({ expiresAt: 5_000 }, 1_000, localTime)).toEqual({ expiresAt: localTime + 4_000 });
  });
});

it('a missing lease means nothing until the watch has lasted for one renewal', () => {
  expect(isWatchSettled(null, 1_000_000)).toBe(false);
  expect(isWatchSettled(1_000_000 - liveness.lease.graceMs + 1, 1_000_000)).toBe(false);
  expect(isWatchSettled(1_000_000 - liveness.lease.graceMs, 1_000_000)).toBe(true);
});

function worker(languages: string[] | null, engine = true): WorkerState {
  return {
    service: 'transcription-worker',
    pulls: [],
    engine: engine ? { provider: 'scripted', model: 'test', timing: 'engine' } : null,
    engineNote: null,
    languages,
    expiresAt: 0,
  };
}

describe('the languages that can be chosen', () => {
  it.each([
    ['unknown while the fleet is', null, null],
    ['unknown without a worker', [], null],
    ['unknown without an engine', [worker(['en'], false)], null],
    ['those of one engine', [worker(['en'])], ['en']],
    ['those of all engines together', [worker(['en']), worker(['de', 'en'])], ['de', 'en']],
    ['any, when one engine knows any', [worker(['en']), worker([])], null],
    ['any, when an older worker reports none', [worker(['en']), worker(null)], null],
  ])('are %s', (_, workers, languages) => {
    expect(languagesOf(workers)).toEqual(languages);
  });
});

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

describe('workers', () => {
  it('are online while they send heartbeats, with their running tasks', () => {
    const fleet = new Map([['worker.a', { ...live, expiresAt: now + 1 }]]);
    const [answer] = workerObjectsOf(fleet, [seen('a', 4_000)], [doing('a'), doing('b')], now);
    expect(answer).toMatchObject({ id: 'a', state: 'online', since: ago(3_600_000).toISOString() });
    expect(answer?.doing).toHaveLength(1);
    expect(answer?.doing[0]).not.toHaveProperty('worker');
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
