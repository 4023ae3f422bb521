import { queues, type Lane, type Queue } from '@overtone/contracts';

/** Room for one job at a time of one lane. */
export type Place = {
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

  const place = (queue: Queue, lane: Lane, index: number): Place => {
    const free = (): boolean => {
      const limits = limitsOf(queue);
      return taken[queue][lane] < limits[lane] && (lane === 'normal' || taken[queue].normal >= limits.normal);
    };
    return {
      lane,
      index,
      exists: () => index < limitsOf(queue)[lane],
      free,
      enter: () => {
        if (!free()) return undefined;
        taken[queue][lane] += 1;
        let left = false;
        return () => {
          if (!left) taken[queue][lane] -= 1;
          left = true;
        };
      },
    };
  };
  return {
    /** One for each job of the queue that may be done at once. */
    of: (queue: Queue): Place[] =>
      (['normal', 'express'] as const).flatMap((lane) =>
        Array.from({ length: limitsOf(queue)[lane] }, (_, index) => place(queue, lane, index)),
      ),
  };
}
