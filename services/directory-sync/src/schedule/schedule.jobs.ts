import { directoryJobs } from '@overtone/contracts';
import {
  concurrencyOf,
  everySlot,
  worker,
  type Bus,
  type Periodic,
  type Recycling,
  type Worker,
} from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { Passes } from '../passes/passes.ts';
import { settingsStore } from '../settings/settings.ts';
import type { JobRequests } from './job-requests.ts';
import { checkEveryMs, isDue } from './schedule.ts';

type Deps = { db: Db; passes: Passes; jobRequests: JobRequests; workerId: string; recycling: Recycling };

/** `directory.sync_check_schedule` and `directory.sync_run` (specification, "Scheduling"). */
export function sweepWorker({ db, passes, jobRequests, workerId, recycling }: Deps): Worker {
  const runSerially = createSerialQueue();
  return worker(
    directoryJobs,
    {
      checkSchedule: async () => {
        const { enabled, schedule, dueAfter } = await settingsStore.read(db);
        const now = new Date();
        if (!enabled || !dueAfter || !isDue(schedule, dueAfter, now)) return {};
        // Enqueue before the claim, so that no run is lost while the broker is unavailable.
        await jobRequests.enqueueRun({ trigger: 'schedule', dryRun: false }, `sweep-${dueAfter.toISOString()}`);
        await settingsStore.claim(db, now);
        return {};
      },
      run: async (input, { taskId, signal, attempt }) => {
        const { trigger, dryRun, approvedPass } = input;
        await runSerially(() => {
          signal.throwIfAborted();
          const isLast = attempt >= directoryJobs.run.policy.attempts;
          return passes.run({ passId: taskId, trigger, dryRun, approvedPass }, { stop: signal, isLast });
        });
        return {};
      },
    },
    { workerId, concurrency: concurrencyOf(directoryJobs), recycling },
  );
}

/** Enqueues a schedule check for every slot. */
export function checkEverySlot(jobRequests: JobRequests, bus: Pick<Bus, 'connected'>): Periodic {
  return everySlot('directory sync schedule check', checkEveryMs, bus, jobRequests.enqueueCheck);
}

/** Runs passes one after another, while schedule checks run concurrently with them. */
function createSerialQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}
