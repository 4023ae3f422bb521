import { systemJobs } from '@overtone/contracts';
import { concurrencyOf, everySlot, namedId, putJob, worker } from '@overtone/jobs';
import type { Bus, Periodic, Worker } from '@overtone/service-kit';
import type { Recovery } from './recovery.service.ts';

/** Half of the minute within which a dead worker's tasks must be requeued. */
const everyMs = 30_000;

/** `system.reclaim_orphaned_deliveries` (specification, "Events"): requeues the tasks of dead workers. */
export function reclaimWorker({ recovery, workerId }: { recovery: Recovery; workerId: string }): Worker {
  return worker(
    systemJobs,
    {
      reclaimOrphaned: async () => {
        await recovery.requeueLostTasks();
        return {};
      },
    },
    { workerId, concurrency: concurrencyOf(systemJobs) },
  );
}

/** Enqueues the job once per slot for all replicas. */
export function reclaimEverySlot(bus: Bus): Periodic {
  return everySlot('enqueue the reclaim job', everyMs, bus, (slot) => {
    const at = slot.toISOString();
    return putJob(bus, systemJobs.reclaimOrphaned, namedId(`reclaim-${at}`), { slot: at });
  });
}
