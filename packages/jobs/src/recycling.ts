import { queueLimits, type Queue } from '@overtone/contracts';

/** Counts the tasks of a process and reports when it is due for recycling. */
export type Recycling = {
  recordTask: (queue: Queue) => void;
  /** Resolves once, with the queue whose task limit the process has reached. */
  recycleDue: Promise<Queue>;
};

/**
 * Minimum age of a recycled process: container runtimes take one that keeps ending within ten minutes for one that
 * crashes, and delay each restart longer.
 */
const defaultMinimumAgeMs = 15 * 60_000;

type Options = { limits?: Readonly<Record<Queue, { recycleAfter: number }>>; minimumAgeMs?: number };

/**
 * For a service that runs the tasks of a queue in its own process: at the queue's task limit it takes no new
 * ones, finishes the running ones and exits, and its supervisor starts it again. That returns leaked
 * memory to the machine.
 */
export function createRecycling(options: Options = {}): Recycling {
  const limits = options.limits ?? queueLimits;
  const done = new Map<Queue, number>();
  const bornAt = performance.now();
  let resolveDue = (_queue: Queue): void => {};
  const recycleDue = new Promise<Queue>((resolve) => (resolveDue = resolve));
  return {
    recycleDue,
    recordTask: (queue) => {
      const count = (done.get(queue) ?? 0) + 1;
      done.set(queue, count);
      if (count !== limits[queue].recycleAfter) return;
      const age = performance.now() - bornAt;
      setTimeout(() => resolveDue(queue), Math.max(0, (options.minimumAgeMs ?? defaultMinimumAgeMs) - age)).unref();
    },
  };
}
