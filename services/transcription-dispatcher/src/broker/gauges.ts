import { jobDurable, queues, topology, type Queue } from '@overtone/contracts';
import type { Lease } from '../leases/leases.ts';

/** A durable of JOBS as one answer of the broker lists it. */
export type QueueState = { durable: string; pending: number };
export type QueueGauges = { depth: number; reserved: number; orphaned: number; oldestUnackedSeconds: number };

/** Every durable the platform's jobs need, with the messages it takes. */
export const durables: readonly { name: string; filter: string; ackWaitMs: number }[] = [
  ...new Map(
    Object.values(topology)
      .flatMap((service) => service.works)
      .map((job) => [
        jobDurable(job),
        { name: jobDurable(job), filter: `job.${job.queue}.${job.domain}.*`, ackWaitMs: job.policy.ackWaitMs },
      ]),
  ).values(),
];

/**
 * The four queue gauges (specification, "Health and metrics"). What is unacknowledged is read from leases, because the
 * broker's own count stays up after a worker has died until somebody pulls again (measured on 2.9).
 */
export const gaugesOf = (states: QueueState[], leases: Lease[], now: number): Map<Queue, QueueGauges> =>
  new Map(
    queues.map((queue) => {
      const own = leases.filter((l) => l.queue === queue);
      const pending = states.filter((s) => s.durable.startsWith(`${queue}-`));
      return [
        queue,
        {
          depth: pending.reduce((sum, s) => sum + s.pending, 0),
          reserved: own.filter((l) => l.expiresAt > now).length,
          orphaned: own.filter((l) => l.expiresAt <= now).length,
          oldestUnackedSeconds: own.length === 0 ? 0 : (now - Math.min(...own.map((l) => l.deliveredAt))) / 1000,
        },
      ];
    }),
  );
