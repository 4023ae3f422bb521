import { systemJobs } from '@overtone/contracts';
import {
  concurrencyOf,
  everySlot,
  namedId,
  putJob,
  worker,
  type Bus,
  type Periodic,
  type Worker,
} from '@overtone/service-kit';
import type { Recovery } from './recovery.service.ts';

/** Twice within the minute in which a dead worker's deliveries are to be back. */
const everyMs = 30_000;

/** `system.reclaim_orphaned_deliveries` (specification, "Events"): what dead workers held goes back to its queue. */
export const reclaimWorker = ({ recovery, workerId }: { recovery: Recovery; workerId: string }): Worker =>
  worker(
    systemJobs,
    {
      reclaimOrphaned: async () => {
        await recovery.takeBackLost();
        return {};
      },
    },
    { workerId, concurrency: concurrencyOf(systemJobs) },
  );

/** Orders it, once for all replicas. */
export const reclaimEverySlot = (bus: Bus): Periodic =>
  everySlot('order the reclaiming of deliveries', everyMs, bus, (slot) => {
    const at = slot.toISOString();
    return putJob(bus, systemJobs.reclaimOrphaned, namedId(`reclaim-${at}`), { slot: at });
  });
