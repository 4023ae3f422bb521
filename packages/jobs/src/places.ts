import { queues, type Lane, type Queue } from '@overtone/contracts';

/** Room for one job at a time of one lane. */
export type Place = {
  lane: Lane;
  /** Whether it would take a job now. */
  free: () => boolean;
  /** Takes the room, if there is any. @returns how to leave it. */
  enter: () => (() => void) | undefined;
};
type Options = { concurrency: Partial<Record<Queue, number>>; express?: Partial<Record<Queue, number>> };

/**
 * The rooms of a worker, counted per queue whichever of the queue's durables a job comes from. An express place opens
 * when every normal one is taken: until then nothing has to wait for a long job.
 */
export function createPlaces({ concurrency, express = {} }: Options) {
  const limits = Object.fromEntries(
    queues.map((queue) => {
      const normal = concurrency[queue] ?? 1;
      return [queue, { normal, express: normal > 0 ? (express[queue] ?? 0) : 0 }];
    }),
  ) as Record<Queue, Record<Lane, number>>;
  const taken = Object.fromEntries(queues.map((queue) => [queue, { normal: 0, express: 0 }])) as typeof limits;

  const place = (queue: Queue, lane: Lane): Place => {
    const free = (): boolean =>
      taken[queue][lane] < limits[queue][lane] && (lane === 'normal' || taken[queue].normal >= limits[queue].normal);
    return {
      lane,
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
        Array.from({ length: limits[queue][lane] }, () => place(queue, lane)),
      ),
  };
}
