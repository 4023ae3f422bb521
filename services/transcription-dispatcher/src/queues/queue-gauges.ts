import { queues, type Queue } from '@overtone/contracts';
import type { Leases, Lease, Workers } from '../workers/workers.ts';
import type { Broker } from './broker.adapter.ts';
import type { QueueGauges, QueueState } from './queues.ts';

/**
 * The queue gauges (specification, "Health and metrics"). Held tasks are read from leases: after a worker's death the
 * broker's own count only falls at the next pull (measured on 2.9). Unacknowledged messages without a lease were given
 * back and count as waiting, so that a paused queue keeps its depth.
 * `remote`: those of the reserved that only wait for another server.
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
      const own = leases.filter((lease) => lease.queue === queue);
      const held = own.filter((lease) => lease.expiresAt > now && isWorkerLive(lease.worker));
      const reserved = held.length;
      const listed = states.filter((state) => state.durable.startsWith(`${queue}-`));
      const pending = listed.reduce((sum, item) => sum + item.pending, 0);
      const unacknowledged = listed.reduce((sum, item) => sum + item.unacknowledged, 0);
      return [
        queue,
        {
          depth: pending + Math.max(0, unacknowledged - own.length),
          reserved,
          remote: held.filter((lease) => lease.remote).length,
          orphaned: own.length - reserved,
          oldestUnackedSeconds:
            own.length === 0 ? 0 : (now - Math.min(...own.map((lease) => lease.deliveredAt))) / 1000,
        },
      ];
    }),
  );
}

/** Added to the life of a heartbeat (`liveness` in the contracts): a dead worker is visible within five seconds. */
const cacheMs = 500;

/** The current queue gauges: one request to the broker; leases and heartbeats are mirrored already. */
export function createQueueGauges({
  broker,
  leases,
  isWorkerLive,
}: {
  broker: Pick<Broker, 'listQueues'>;
  leases: Leases['entries'];
  isWorkerLive: Workers['isLive'];
}): () => Promise<ReadonlyMap<Queue, QueueGauges>> {
  return cached(cacheMs, async () => {
    const states = await broker.listQueues();
    return gaugesOf(states, [...leases().values()], isWorkerLive, Date.now());
  });
}

/** Shares one call and its result for `ms`, so that several scrapers cause one request to the broker. */
export function cached<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let startedAt = 0;
  let current: Promise<T> | undefined;
  return () => {
    if (current && Date.now() - startedAt < ms) return current;
    startedAt = Date.now();
    const fresh = read();
    current = fresh;
    // A failure is not cached.
    fresh.catch(() => {
      if (current === fresh) current = undefined;
    });
    return fresh;
  };
}
