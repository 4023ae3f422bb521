import type { JobDef, Queue } from './define.ts';

/** Concurrent jobs of a queue per worker process, and the number of tasks before the process is recycled. */
export type QueueLimit = {
  readonly concurrency: number;
  readonly recycleAfter: number;
  /** The variable that overrides the concurrency, if there is one. */
  readonly variable?: string;
};

/** Specification, "Limits": worker concurrency. All services with workers use these values. */
export const queueLimits: Readonly<Record<Queue, QueueLimit>> = {
  gpu: { concurrency: 1, recycleAfter: 100_000, variable: 'GPU_CONCURRENT_REQUESTS' },
  download: { concurrency: 3, recycleAfter: 10, variable: 'DOWNLOAD_CONCURRENCY' },
  cpu: { concurrency: 8, recycleAfter: 20 },
  utility: { concurrency: 8, recycleAfter: 20 },
  nlp: { concurrency: 4, recycleAfter: 50, variable: 'NLP_CONCURRENCY' },
  default: { concurrency: 4, recycleAfter: 50 },
  embedding: { concurrency: 1, recycleAfter: 500 },
};

/** The queues that a catalogue has jobs on. */
export function queuesOf(catalogue: Readonly<Record<string, Pick<JobDef, 'queue'>>>): Queue[] {
  return [...new Set(Object.values(catalogue).map((job) => job.queue))];
}
