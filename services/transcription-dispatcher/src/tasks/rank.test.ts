import { describe, expect, it } from '@jest/globals';
import type { Priority } from '../runs/runs.ts';
import { costOf, rankOf, urgencyOf } from './rank.ts';

/** A deterministic pseudo-random generator. */
function createRandom(seed: number) {
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
}

type Task = { owner: string; priority: Priority; cost: number; rank: number };

/** A simulated durable with workers that always take the first task. */
function createQueue(slots: number) {
  let waiting: Task[] = [];
  let running: { task: Task; until: number }[] = [];
  let now = 0;
  const started: { task: Task; at: number }[] = [];

  const queuePosition = (owner: string, priority: Priority) => {
    const ranks = waiting.map((t) => t.rank).filter((r) => r > 0);
    const head = running.length > 0 ? Math.max(...running.map((r) => r.task.rank)) : 0;
    const open = [...waiting, ...running.map((r) => r.task)].filter((t) => t.owner === owner && t.priority <= priority);
    return { head: head > 0 ? head : Math.min(...ranks, Infinity), own: Math.max(0, ...open.map((t) => t.rank)) };
  };
  const enqueue = (owner: string, cost: number, priority: Priority = 1): Task => {
    const { head, own } = queuePosition(owner, priority);
    const task = { owner, priority, cost, rank: rankOf({ head: head === Infinity ? 0 : head, own }, cost, false) };
    waiting.push(task);
    return task;
  };
  const startTasks = (): void => {
    while (running.length < slots && waiting.length > 0) {
      const task = waiting.reduce((a, b) => ((b.priority - a.priority || b.rank - a.rank) < 0 ? b : a));
      waiting = waiting.filter((t) => t !== task);
      running.push({ task, until: now + task.cost });
      started.push({ task, at: now });
    }
  };
  return {
    enqueue,
    started,
    waiting: () => waiting,
    now: () => now,
    /** Advances the clock to the end of the next task. */
    step: (): void => {
      startTasks();
      const next = Math.min(...running.map((r) => r.until));
      if (next === Infinity) return;
      now = next;
      running = running.filter((r) => r.until > now);
      startTasks();
    },
    workOf: (owner: string) => started.filter((b) => b.task.owner === owner).reduce((sum, b) => sum + b.task.cost, 0),
  };
}

const runs = Array.from({ length: 10 }, (_, seed) => ({ seed: seed + 1, slots: (seed % 4) + 1 }));

describe('waiting tasks', () => {
  it.each(runs)('are served equally for two owners with long queues (seed $seed)', ({ seed, slots }) => {
    const random = createRandom(seed);
    const q = createQueue(slots);
    const longest = 100;
    const cost = () => 1 + Math.floor(random() * (longest - 1));
    for (let i = 0; i < 200; i += 1) q.enqueue('a', cost());
    for (let i = 0; i < 30; i += 1) q.step();
    const before = q.workOf('a');
    for (let i = 0; i < 200; i += 1) q.enqueue('b', cost());
    while (q.waiting().some((t) => t.owner === 'a') && q.waiting().some((t) => t.owner === 'b')) {
      q.step();
      expect(Math.abs(q.workOf('a') - before - q.workOf('b'))).toBeLessThanOrEqual((slots + 2) * longest);
    }
  });

  it.each(runs)('do not wait behind the backlog of other owners (seed $seed)', ({ seed, slots }) => {
    const random = createRandom(seed);
    const q = createQueue(slots);
    for (let i = 0; i < 300; i += 1) q.enqueue(`owner ${Math.floor(random() * 3)}`, 1 + Math.floor(random() * 60));
    for (let i = 0; i < 20; i += 1) q.step();
    const mine = q.enqueue('mine', 30);
    const before = q.started.length;
    while (q.waiting().includes(mine)) q.step();
    const others = q.started.slice(before).filter((b) => b.task !== mine);
    // Each of the three owners may take its fair share and finish its running task.
    expect(others.reduce((sum, b) => sum + b.task.cost, 0)).toBeLessThanOrEqual(3 * (30 + 60) + slots * 60);
  });

  it.each(runs)('are started eventually although new owners keep arriving (seed $seed)', ({ seed, slots }) => {
    const random = createRandom(seed);
    const q = createQueue(slots);
    for (let i = 0; i < 20; i += 1) q.enqueue('patient', 50);
    let came = 0;
    while (q.waiting().some((t) => t.owner === 'patient')) {
      // More work than the slots can do, from a new owner every time.
      while (q.waiting().length < 60) q.enqueue(`new ${(came += 1)}`, 1 + Math.floor(random() * 20));
      q.step();
      expect(came).toBeLessThan(5_000);
    }
  });

  it('are started first when they are urgent', () => {
    const q = createQueue(1);
    for (let i = 0; i < 50; i += 1) q.enqueue('bulk', 10, 2);
    for (let i = 0; i < 5; i += 1) q.step();
    q.enqueue('bulk', 10, 0);
    q.enqueue('other', 10, 1);
    q.enqueue('other', 10, 0);
    const before = q.started.length;
    for (let i = 0; i < 4; i += 1) q.step();
    expect(q.started.slice(before, before + 3).map((b) => b.task.priority)).toEqual([0, 0, 1]);
  });

  it('keep their order within one owner and priority', () => {
    const q = createQueue(1);
    const random = createRandom(7);
    const tasks = Array.from({ length: 40 }, () => q.enqueue('a', 1 + Math.floor(random() * 100)));
    while (q.waiting().length > 0) q.step();
    expect(q.started.map((b) => b.task)).toEqual(tasks);
  });
});

describe('a task', () => {
  it('does not queue behind later tasks of its owner when it continues a run', () => {
    expect(rankOf({ head: 100, own: 5_000 }, 60, true)).toBe(160);
    expect(rankOf({ head: 100, own: 5_000 }, 60, false)).toBe(5_060);
  });
  it('has a default cost when its duration is unknown, and never a cost of zero', () => {
    expect([costOf(null), costOf(0), costOf(3_600)]).toEqual([60, 1, 3_600]);
  });
  it('is less urgent when it indexes a transcript than when it produces one', () => {
    expect([urgencyOf('index', 0), urgencyOf('index', 2), urgencyOf('transcribe', 0)]).toEqual([1, 2, 0]);
  });
});
