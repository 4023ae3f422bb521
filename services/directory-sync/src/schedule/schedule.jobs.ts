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
import type { Orders } from './orders.ts';
import { checkEveryMs, isDue } from './schedule.ts';

type Deps = { db: Db; passes: Passes; orders: Orders; workerId: string; recycling: Recycling };

/** Runs passes one after another, while schedule checks run concurrently with them. */
const createSerialQueue = () => {
  let last: Promise<unknown> = Promise.resolve();
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
};

/** `directory.sync_check_schedule` and `directory.sync_run` (specification, "Scheduling"). */
export const sweepWorker = ({ db, passes, orders, workerId, recycling }: Deps): Worker => {
  const runSerially = createSerialQueue();
  return worker(
    directoryJobs,
    {
      checkSchedule: async () => {
        const { enabled, schedule, dueAfter } = await settingsStore.read(db);
        const now = new Date();
        if (!enabled || !dueAfter || !isDue(schedule, dueAfter, now)) return {};
        // Enqueue before the claim, so that an unavailable broker does not lose the run.
        await orders.run({ trigger: 'schedule', dryRun: false }, `sweep-${dueAfter.toISOString()}`);
        await settingsStore.claim(db, now);
        return {};
      },
      run: async (input, { taskId, signal, attempt }) => {
        const { trigger, dryRun, approvedPass } = input;
        await runSerially(() => {
          signal.throwIfAborted();
          const last = attempt >= directoryJobs.run.policy.attempts;
          return passes.run({ passId: taskId, trigger, dryRun, approvedPass }, { stop: signal, last });
        });
        return {};
      },
    },
    { workerId, concurrency: concurrencyOf(directoryJobs), recycling },
  );
};

/** Enqueues a schedule check for every slot. */
export const checkEverySlot = (orders: Orders, bus: Pick<Bus, 'connected'>): Periodic =>
  everySlot('look at the schedule', checkEveryMs, bus, orders.check);
