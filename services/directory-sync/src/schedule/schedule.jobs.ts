import { directoryJobs } from '@overtone/contracts';
import {
  concurrencyOf,
  everySlot,
  worker,
  type Bus,
  type Periodic,
  type Wear,
  type Worker,
} from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { Passes } from '../passes/passes.ts';
import { settingsStore } from '../settings/settings.ts';
import type { Orders } from './orders.ts';
import { checkEveryMs, isDue } from './schedule.ts';

type Deps = { db: Db; passes: Passes; orders: Orders; workerId: string; wear: Wear };

/** The schedule is looked at beside a pass, but passes follow each other: the lease would refuse the second one. */
const createTurns = () => {
  let last: Promise<unknown> = Promise.resolve();
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
};

/** `directory.sync_check_schedule` and `directory.sync_run` (specification, "Scheduling"). */
export const sweepWorker = ({ db, passes, orders, workerId, wear }: Deps): Worker => {
  const inTurn = createTurns();
  return worker(
    directoryJobs,
    {
      checkSchedule: async () => {
        const { enabled, schedule, dueAfter } = await settingsStore.read(db);
        const now = new Date();
        if (!enabled || !dueAfter || !isDue(schedule, dueAfter, now)) return {};
        // First the order, then the claim: a broker that is away at this moment costs no day's run.
        await orders.run({ trigger: 'schedule', dryRun: false }, `sweep-${dueAfter.toISOString()}`);
        await settingsStore.claim(db, now);
        return {};
      },
      run: async (input, { taskId, signal, attempt }) => {
        const { trigger, dryRun, approvedPass } = input;
        await inTurn(() => {
          signal.throwIfAborted();
          const last = attempt >= directoryJobs.run.policy.attempts;
          return passes.run({ passId: taskId, trigger, dryRun, approvedPass }, { stop: signal, last });
        });
        return {};
      },
    },
    { workerId, concurrency: concurrencyOf(directoryJobs), wear },
  );
};

/** Orders the check of every slot. */
export const checkEverySlot = (orders: Orders, bus: Pick<Bus, 'connected'>): Periodic =>
  everySlot('look at the schedule', checkEveryMs, bus, orders.check);
