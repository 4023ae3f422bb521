import { directoryJobs } from '@overtone/contracts';
import { concurrencyOf, everySlot, isDue, worker, type Recycling } from '@overtone/jobs';
import { periodic, type Bus, type Slice } from '@overtone/service-kit';
import pLimit from 'p-limit';
import type { Db } from '../database.ts';
import { restoreStore } from '../restore/restore.store.ts';
import type { SyncRuns } from '../runs/runs.ts';
import { settingsStore } from '../settings/settings.ts';
import { checkEveryMs, type JobRequests } from './schedule.ts';

const restoreCheckMs = 10_000;
const restoreRetryMs = 5 * 60_000;

type Deps = {
  db: Db;
  bus: Pick<Bus, 'connected'>;
  runs: SyncRuns;
  jobRequests: JobRequests;
  workerId: string;
  recycling: Recycling;
};

/** Enqueues a schedule check for every slot, and runs both jobs (specification, "Scheduling"). */
export function createScheduleSlice({ db, bus, runs, jobRequests, workerId, recycling }: Deps): Slice {
  // Sync runs are made one after another, while schedule checks run concurrently with them.
  const runSerially = pLimit(1);
  const jobs = worker(
    directoryJobs,
    {
      checkSchedule: async () => {
        await enqueueDueRun({ db, jobRequests });
        return {};
      },
      run: async (input, { taskId, signal, attempt }) => {
        const { trigger, dryRun, approvedPass } = input;
        await runSerially(() => {
          signal.throwIfAborted();
          const isLast = attempt >= directoryJobs.run.policy.attempts;
          return runs.run({ passId: taskId, trigger, dryRun, approvedPass }, { stop: signal, isLast });
        });
        return {};
      },
    },
    { workerId, concurrency: concurrencyOf(directoryJobs), recycling },
  );
  return {
    jobs: [jobs],
    periodics: [
      everySlot('directory sync schedule check', checkEveryMs, bus, jobRequests.enqueueCheck),
      periodic('directory sync after a restore', restoreCheckMs, () => syncAfterRestore({ db, jobRequests })),
    ],
  };
}

/** After a restore, directory accounts wait for a sync run: it is attempted every five minutes until it succeeds. */
async function syncAfterRestore({ db, jobRequests }: Pick<Deps, 'db' | 'jobRequests'>): Promise<void> {
  const restoreId = await restoreStore.open(db);
  if (restoreId === undefined) return;
  const { enabled, dry_run: dryRun } = await settingsStore.read(db);
  // Without a schedule there is no sync run to wait for.
  if (!enabled) return restoreStore.close(db, { dryRun: false });
  const slot = Math.floor(Date.now() / restoreRetryMs);
  await jobRequests.enqueueRun({ trigger: 'schedule', dryRun }, `restore-${restoreId}-${slot}`);
}

async function enqueueDueRun({ db, jobRequests }: Pick<Deps, 'db' | 'jobRequests'>): Promise<void> {
  const { enabled, schedule, dueAfter } = await settingsStore.read(db);
  const now = new Date();
  if (!enabled || !dueAfter || !isDue(schedule, dueAfter, now)) return;
  // Enqueue before the claim, so that no run is lost while the broker is unavailable.
  await jobRequests.enqueueRun({ trigger: 'schedule', dryRun: false }, `sweep-${dueAfter.toISOString()}`);
  await settingsStore.claim(db, now);
}
