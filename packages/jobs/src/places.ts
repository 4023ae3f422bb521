import { setTimeout as sleep } from 'node:timers/promises';
import { queues, type Lane, type Queue } from '@overtone/contracts';
import { once } from './once.ts';

/** Room for one job at a time of one lane. */
export type Place = {
  queue: Queue;
  lane: Lane;
  /** Whether it would take a job now. */
  free: () => boolean;
  /** Takes the room, if there is any. @returns how to leave it. */
  enter: () => (() => void) | undefined;
  /** Its number within the lane, from 0. */
  index: number;
  /** False once the limit of the lane was lowered below it. */
  exists: () => boolean;
};
/** Read at every use, because administrators change limits while the worker runs: both may be getters. */
type Options = { concurrency: Partial<Record<Queue, number>>; express?: Partial<Record<Queue, number>> };

/** How often a job that returns looks for room. */
const reenterMs = 50;

/**
 * The rooms of a worker, counted per queue whichever of the queue's durables a job comes from. An express place opens
 * when every normal one is taken: until then nothing has to wait for a long job.
 */
export function createPlaces(options: Options) {
  const limitsOf = (queue: Queue): Record<Lane, number> => {
    const normal = options.concurrency[queue] ?? 1;
    return { normal, express: normal > 0 ? (options.express?.[queue] ?? 0) : 0 };
  };
  const taken = Object.fromEntries(queues.map((queue) => [queue, { normal: 0, express: 0 }])) as Record<
    Queue,
    Record<Lane, number>
  >;

  /** Jobs that return to a queue: no new one starts there before them. */
  const returning = new Map<Queue, number>();
  const takeRoom = (queue: Queue, lane: Lane): (() => void) => {
    taken[queue][lane] += 1;
    return once(() => (taken[queue][lane] -= 1));
  };

  const place = (queue: Queue, lane: Lane, index: number): Place => {
    const free = (): boolean => {
      const limits = limitsOf(queue);
      if (lane === 'normal' && (returning.get(queue) ?? 0) > 0) return false;
      return taken[queue][lane] < limits[lane] && (lane === 'normal' || taken[queue].normal >= limits.normal);
    };
    return {
      queue,
      lane,
      index,
      exists: () => index < limitsOf(queue)[lane],
      free,
      enter: () => (free() ? takeRoom(queue, lane) : undefined),
    };
  };
  return {
    /** One for each job of the queue that may be done at once. */
    of: (queue: Queue): Place[] =>
      (['normal', 'express'] as const).flatMap((lane) =>
        Array.from({ length: limitsOf(queue)[lane] }, (_, index) => place(queue, lane, index)),
      ),
    /** Waits for room for a job that has left its own, before new jobs. @returns how to leave it. */
    reenter: async (queue: Queue, signal: AbortSignal): Promise<() => void> => {
      returning.set(queue, (returning.get(queue) ?? 0) + 1);
      try {
        while (taken[queue].normal >= limitsOf(queue).normal) await sleep(reenterMs, undefined, { signal });
        return takeRoom(queue, 'normal');
      } finally {
        returning.set(queue, (returning.get(queue) ?? 0) - 1);
      }
    },
  };
}

export type Places = ReturnType<typeof createPlaces>;
