import { describe, expect, it } from '@jest/globals';
import type { QueueItem, WorkerItem } from './queue-queries.ts';
import { age, barOf, queueText, workerStatusOf } from './labels.ts';

function queue(over: Partial<QueueItem> = {}): QueueItem {
  return {
    queue: 'gpu',
    depth: 0,
    reserved: 0,
    orphaned: 0,
    oldest_unacked_seconds: 0,
    retrying: 0,
    dead: 0,
    paused: null,
    ...over,
  };
}

describe('barOf', () => {
  it('measures all queues by the longest one', () => {
    const full = queue({ depth: 90, reserved: 10 });
    const half = queue({ queue: 'cpu', depth: 50 });
    expect(barOf(full, [full, half])).toEqual({ running: 9, waiting: 81, orphaned: 0 });
    expect(barOf(half, [full, half])).toEqual({ running: 0, waiting: 45, orphaned: 0 });
  });
  it('gives a single job of a hundred thousand a visible width', () => {
    const full = queue({ depth: 100_000 });
    expect(barOf(queue({ orphaned: 1 }), [full]).orphaned).toBeGreaterThan(1);
  });
  it('does not fill the bar for a single job', () => expect(barOf(queue({ depth: 1 }), []).waiting).toBe(9));
});

describe('queueText', () => {
  it('counts waiting and running jobs, and jobs of lost workers only when there are any', () => {
    expect(queueText(queue({ depth: 3, reserved: 1 }))).toBe('3 waiting, 1 running');
    expect(queueText(queue({ orphaned: 2 }))).toBe('0 waiting, 0 running, 2 with a lost worker');
  });
});

describe('age', () => {
  it('uses seconds, minutes, hours or days', () => {
    expect([0, 59.9, 60, 3599, 3600, 3 * 3600 + 300, 3 * 86_400].map(age)).toEqual([
      '0 s',
      '59 s',
      '1 min',
      '59 min',
      '1 h',
      '3 h 5 min',
      '3 days',
    ]);
  });
});

describe('workerStatusOf', () => {
  const task: WorkerItem['doing'][number] = {
    task_uuid: 't',
    stage: 'transcribe',
    media_file_id: 'f',
    file_title: null,
    progress: 0,
    since: '2030-01-01T00:00:00Z',
  };
  it('is red for an offline worker only while a task is assigned to it', () => {
    expect(workerStatusOf({ state: 'offline', doing: [] })).toEqual({ label: 'offline', color: 'gray' });
    expect(workerStatusOf({ state: 'offline', doing: [task] })).toEqual({ label: 'offline', color: 'red' });
  });
});
