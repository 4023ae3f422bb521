import { describe, expect, test } from '@jest/globals';
import { costOf, rankOf, urgencyOf, type Priority } from './rank.ts';

/** Numbers that look drawn and are the same in every run. */
const drawn = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

type Task = { owner: string; priority: Priority; cost: number; rank: number };

/** A durable as the dispatcher's tables hold it, and workers that always take what is first in line. */
const createQueue = (places: number) => {
  let waiting: Task[] = [];
  let running: { task: Task; until: number }[] = [];
  let now = 0;
  const begun: { task: Task; at: number }[] = [];

  const standing = (owner: string, priority: Priority) => {
    const ranks = waiting.map((t) => t.rank).filter((r) => r > 0);
    const head = running.length > 0 ? Math.max(...running.map((r) => r.task.rank)) : 0;
    const open = [...waiting, ...running.map((r) => r.task)].filter((t) => t.owner === owner && t.priority <= priority);
    return { head: head > 0 ? head : Math.min(...ranks, Infinity), own: Math.max(0, ...open.map((t) => t.rank)) };
  };
  const order = (owner: string, cost: number, priority: Priority = 1): Task => {
    const { head, own } = standing(owner, priority);
    const task = { owner, priority, cost, rank: rankOf({ head: head === Infinity ? 0 : head, own }, cost, false) };
    waiting.push(task);
    return task;
  };
  const begin = (): void => {
    while (running.length < places && waiting.length > 0) {
      const task = waiting.reduce((a, b) => ((b.priority - a.priority || b.rank - a.rank) < 0 ? b : a));
      waiting = waiting.filter((t) => t !== task);
      running.push({ task, until: now + task.cost });
      begun.push({ task, at: now });
    }
  };
  return {
    order,
    begun,
    waiting: () => waiting,
    now: () => now,
    /** Time goes on until the next task has ended. */
    step: (): void => {
      begin();
      const next = Math.min(...running.map((r) => r.until));
      if (next === Infinity) return;
      now = next;
      running = running.filter((r) => r.until > now);
      begin();
    },
    workOf: (owner: string) => begun.filter((b) => b.task.owner === owner).reduce((sum, b) => sum + b.task.cost, 0),
  };
};
const runs = Array.from({ length: 10 }, (_, seed) => ({ seed: seed + 1, places: (seed % 4) + 1 }));

describe('waiting tasks', () => {
  test.each(runs)('of two owners who both have plenty are worked on alike ($seed)', ({ seed, places }) => {
    const random = drawn(seed);
    const q = createQueue(places);
    const longest = 100;
    const cost = () => 1 + Math.floor(random() * (longest - 1));
    for (let i = 0; i < 200; i += 1) q.order('a', cost());
    for (let i = 0; i < 30; i += 1) q.step();
    const before = q.workOf('a');
    for (let i = 0; i < 200; i += 1) q.order('b', cost());
    while (q.waiting().some((t) => t.owner === 'a') && q.waiting().some((t) => t.owner === 'b')) {
      q.step();
      expect(Math.abs(q.workOf('a') - before - q.workOf('b'))).toBeLessThanOrEqual((places + 2) * longest);
    }
  });

  test.each(runs)(
    'of somebody who has nothing else there are not behind what others have piled up ($seed)',
    ({ seed, places }) => {
      const random = drawn(seed);
      const q = createQueue(places);
      for (let i = 0; i < 300; i += 1) q.order(`owner ${Math.floor(random() * 3)}`, 1 + Math.floor(random() * 60));
      for (let i = 0; i < 20; i += 1) q.step();
      const mine = q.order('mine', 30);
      const before = q.begun.length;
      while (q.waiting().includes(mine)) q.step();
      const others = q.begun.slice(before).filter((b) => b.task !== mine);
      // Each of the three may be worked on for about as long as it takes, and end what it had begun.
      expect(others.reduce((sum, b) => sum + b.task.cost, 0)).toBeLessThanOrEqual(3 * (30 + 60) + places * 60);
    },
  );

  test.each(runs)('are begun in the end, though new owners come and come ($seed)', ({ seed, places }) => {
    const random = drawn(seed);
    const q = createQueue(places);
    for (let i = 0; i < 20; i += 1) q.order('patient', 50);
    let came = 0;
    while (q.waiting().some((t) => t.owner === 'patient')) {
      // More than can be done, from somebody new every time.
      while (q.waiting().length < 60) q.order(`new ${(came += 1)}`, 1 + Math.floor(random() * 20));
      q.step();
      expect(came).toBeLessThan(5_000);
    }
  });

  test('that are urgent go first, whatever else their owner or others have ordered', () => {
    const q = createQueue(1);
    for (let i = 0; i < 50; i += 1) q.order('bulk', 10, 2);
    for (let i = 0; i < 5; i += 1) q.step();
    q.order('bulk', 10, 0);
    q.order('other', 10, 1);
    q.order('other', 10, 0);
    const before = q.begun.length;
    for (let i = 0; i < 4; i += 1) q.step();
    expect(q.begun.slice(before, before + 3).map((b) => b.task.priority)).toEqual([0, 0, 1]);
  });

  test('of one owner and priority keep their order', () => {
    const q = createQueue(1);
    const random = drawn(7);
    const tasks = Array.from({ length: 40 }, () => q.order('a', 1 + Math.floor(random() * 100)));
    while (q.waiting().length > 0) q.step();
    expect(q.begun.map((b) => b.task)).toEqual(tasks);
  });
});

describe('a task', () => {
  test('that carries a run on does not queue up behind what its owner has ordered meanwhile', () => {
    expect(rankOf({ head: 100, own: 5_000 }, 60, true)).toBe(160);
    expect(rankOf({ head: 100, own: 5_000 }, 60, false)).toBe(5_060);
  });
  test('of which nothing is known counts as a usual one, and none counts as nothing', () => {
    expect([costOf(null), costOf(0), costOf(3_600)]).toEqual([60, 1, 3_600]);
  });
  test('that makes a readable transcript findable is less urgent than those that make it', () => {
    expect([urgencyOf('index', 0), urgencyOf('index', 2), urgencyOf('transcribe', 0)]).toEqual([1, 2, 0]);
  });
});
