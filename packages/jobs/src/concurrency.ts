import { queueLimits, queuesOf, type JobDef, type Queue } from '@overtone/contracts';
import { z } from 'zod';
import { readEnv } from '@overtone/service-kit';

/** Jobs at once, by queue. */
export type Concurrency = Partial<Record<Queue, number>>;

/** The variables of the queues that `catalogue` has jobs on. */
export function concurrencyEnv(
  catalogue: Readonly<Record<string, Pick<JobDef, 'queue'>>>,
): Record<string, z.ZodType<number>> {
  return Object.fromEntries(
    queuesOf(catalogue).flatMap((queue) => {
      const { concurrency, variable } = queueLimits[queue];
      return variable === undefined ? [] : [[variable, z.coerce.number().int().min(1).max(64).default(concurrency)]];
    }),
  );
}

/**
 * How many jobs at once a service does of the queues that `catalogue` has jobs on: what the queue's variable says, else
 * the specification's number. A variable takes effect the moment a service has a job on its queue, and not before.
 * @throws Error naming a variable that is no number from 1 to 64.
 */
export function concurrencyOf(
  catalogue: Readonly<Record<string, Pick<JobDef, 'queue'>>>,
  source?: Record<string, string | undefined>,
): Concurrency {
  const read = readEnv(concurrencyEnv(catalogue), source);
  return Object.fromEntries(
    queuesOf(catalogue).map((queue) => {
      const { concurrency, variable } = queueLimits[queue];
      return [queue, variable === undefined ? concurrency : read[variable]];
    }),
  );
}
