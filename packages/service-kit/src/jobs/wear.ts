import { queueLimits, type Queue } from '@overtone/contracts';

/** How many tasks a process has done itself, and when that is enough. */
export type Wear = {
  did: (queue: Queue) => void;
  /** Resolves once, with the queue of which the process has done its number of tasks. */
  wornOut: Promise<Queue>;
};

/**
 * No process is replaced before: whoever runs containers takes one that keeps ending within ten minutes for one that
 * crashes, and lets it wait longer each time before it starts it again.
 */
const youngestMs = 15 * 60_000;

type Options = { limits?: Readonly<Record<Queue, { recycleAfter: number }>>; youngestMs?: number };

/**
 * For a service that does the tasks of a queue in its own process: after the queue's number of tasks it takes no new
 * ones, finishes what it has in hand and ends, and whoever started it starts it again. What its tasks have lost or
 * hoarded comes back to the machine.
 */
export const createWear = (o: Options = {}): Wear => {
  const limits = o.limits ?? queueLimits;
  const done = new Map<Queue, number>();
  const bornAt = performance.now();
  let over = (_queue: Queue): void => {};
  const wornOut = new Promise<Queue>((resolve) => (over = resolve));
  return {
    wornOut,
    did: (queue) => {
      const count = (done.get(queue) ?? 0) + 1;
      done.set(queue, count);
      if (count !== limits[queue].recycleAfter) return;
      const age = performance.now() - bornAt;
      setTimeout(() => over(queue), Math.max(0, (o.youngestMs ?? youngestMs) - age)).unref();
    },
  };
};
