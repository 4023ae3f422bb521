import { jobDurable, queues, topology, type Queue } from '@overtone/contracts';
import type { Lease } from '../leases/leases.ts';

/** A durable of JOBS as the broker lists it. */
export type QueueState = { durable: string; pending: number; unacknowledged: number };
export type QueueGauges = { depth: number; reserved: number; orphaned: number; oldestUnackedSeconds: number };

/** Every durable that the platform's jobs need, with the subjects it receives. */
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
 * The four queue gauges (specification, "Health and metrics"). Held tasks are read from leases: after a worker's death the
 * broker's own count only falls at the next pull (measured on 2.9). Unacknowledged messages without a lease were given
 * back and count as waiting, so that a paused queue keeps its depth.
 * @param isWorkerLive whether a worker still sends heartbeats.
 */
export function gaugesOf(
  states: QueueState[],
  leases: Lease[],
  isWorkerLive: (worker: string) => boolean,
  now: number,
): Map<Queue, QueueGauges> {
  return new Map(
    queues.map((queue) => {
      const own = leases.filter((l) => l.queue === queue);
      const reserved = own.filter((l) => l.expiresAt > now && isWorkerLive(l.worker)).length;
      const listed = states.filter((s) => s.durable.startsWith(`${queue}-`));
      const pending = listed.reduce((sum, s) => sum + s.pending, 0);
      const unacknowledged = listed.reduce((sum, s) => sum + s.unacknowledged, 0);
      return [
        queue,
        {
          depth: pending + Math.max(0, unacknowledged - own.length),
          reserved,
          orphaned: own.length - reserved,
          oldestUnackedSeconds: own.length === 0 ? 0 : (now - Math.min(...own.map((l) => l.deliveredAt))) / 1000,
        },
      ];
    }),
  );
}
