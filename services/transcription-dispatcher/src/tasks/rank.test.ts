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
    const ranks = waiting.map((task) => task.rank).filter((row) => row > 0);
    const head = running.length > 0 ? Math.max(...running.map((row) => row.task.rank)) : 0;
    const open = [...waiting, ...running.map((row) => row.task)].filter(
      (task) => task.owner === owner && task.priority <= priority,
    );
    return { head: head > 0 ? head : Math.min(...ranks, Infinity), own: Math.max(0, ...open.map((task) => task.rank)) };
  };
  const enqueue = (owner: string, cost: number, priority: Priority = 1): Task => {
    const { head, own } = queuePosition(owner, priority);
    const task = { owner, priority, cost, rank: rankOf({ head: head === Infinity ? 0 : head, own }, cost, false) };
    waiting.push(task);
    return task;
  };
  const startTasks = (): void => {
    while (running.length < slots && waiting.length > 0) {
      const task = waiting.reduce((total, item) =>
        (item.priority - total.priority || item.rank - total.rank) < 0 ? item : total,
      );
      waiting = waiting.filter((other) => other !== task);
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
      const next = Math.min(...running.map((row) => row.until));
      if (next === Infinity) return;
      now = next;
      running = running.filter((row) => row.until > now);
      startTasks();
    },
    workOf: (owner: string) =>
      started.filter((other) => other.task.owner === owner).reduce((sum, item) => sum + item.task.cost, 0),
  };
}

const runs = Array.from({ length: 10 }, (_, seed) => ({ seed: seed + 1, slots: (seed % 4) + 1 }));

describe('waiting tasks', () => {
  it.each(runs)('are served equally for two owners with long queues (seed $seed)', ({ seed, slots }) => {
    const random = createRandom(seed);
    const queue = createQueue(slots);
    const longest = 100;
    const cost = () => 1 + Math.floor(random() * (longest - 1));
    for (let i = 0; i < 200; i += 1) queue.enqueue('a', cost());
    for (let i = 0; i < 30; i += 1) queue.step();
    const before = queue.workOf('a');
    for (let i = 0; i < 200; i += 1) queue.enqueue('b', cost());
    while (queue.waiting().some((task) => task.owner === 'a') && queue.waiting().some((task) => task.owner === 'b')) {
      queue.step();
      expect(Math.abs(queue.workOf('a') - before - queue.workOf('b'))).toBeLessThanOrEqual((slots + 2) * longest);
    }
  });

  it.each(runs)('do not wait behind the backlog of other owners (seed $seed)', ({ seed, slots }) => {
    const random = createRandom(seed);
    const queue = createQueue(slots);
    for (let i = 0; i < 300; i += 1) queue.enqueue(`owner ${Math.floor(random() * 3)}`, 1 + Math.floor(random() * 60));
    for (let i = 0; i < 20; i += 1) queue.step();
    const mine = queue.enqueue('mine', 30);
    const before = queue.started.length;
    while (queue.waiting().includes(mine)) queue.step();
    const others = queue.started.slice(before).filter((other) => other.task !== mine);
    // Each of the three owners may take its fair share and finish its running task.
    expect(others.reduce((sum, other) => sum + other.task.cost, 0)).toBeLessThanOrEqual(3 * (30 + 60) + slots * 60);
  });

  it.each(runs)('are started eventually although new owners keep arriving (seed $seed)', ({ seed, slots }) => {
    const random = createRandom(seed);
    const queue = createQueue(slots);
    for (let i = 0; i < 20; i += 1) queue.enqueue('patient', 50);
    let came = 0;
    while (queue.waiting().some((task) => task.owner === 'patient')) {
      // More work than the slots can do, from a new owner every time.
      while (queue.waiting().length < 60) queue.enqueue(`new ${(came += 1)}`, 1 + Math.floor(random() * 20));
      queue.step();
      expect(came).toBeLessThan(5_000);
    }
  });

  it('are started first when they are urgent', () => {
    const queue = createQueue(1);
    for (let i = 0; i < 50; i += 1) queue.enqueue('bulk', 10, 2);
    for (let i = 0; i < 5; i += 1) queue.step();
    queue.enqueue('bulk', 10, 0);
    queue.enqueue('other', 10, 1);
    queue.enqueue('other', 10, 0);
    const before = queue.started.length;
    for (let i = 0; i < 4; i += 1) queue.step();
    expect(queue.started.slice(before, before + 3).map((other) => other.task.priority)).toEqual([0, 0, 1]);
  });

  it('keep their order within one owner and priority', () => {
    const queue = createQueue(1);
    const random = createRandom(7);
    const tasks = Array.from({ length: 40 }, () => queue.enqueue('a', 1 + Math.floor(random() * 100)));
    while (queue.waiting().length > 0) queue.step();
    expect(queue.started.map((other) => other.task)).toEqual(tasks);
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
