import { directorySyncRpc, type SyncRunReport } from '@overtone/contracts';
import { isAppError, type Log } from '@overtone/service-kit';
import { waitForLease } from '../lease/lease.ts';
import { settingsStore } from '../settings/settings.ts';
import type { Telemetry } from '../telemetry.ts';
import { closeWithoutPlan, executeRun, type SyncRun, type RunDeps } from './run.ts';
import { runsStore as store } from './runs.store.ts';
import type { RunRequest, RunProgress } from './report.ts';
import { createTime } from './time.ts';

type Deps = Pick<RunDeps, 'db' | 'outbox' | 'bus' | 'takeSnapshot'> & {
  telemetry: Telemetry;
  log: Log;
  holder: string;
};
/** `isLast`: the job is not retried after this attempt, so its report is written in any case. */
type JobAttempt = { stop: AbortSignal; isLast: boolean };
type AttemptDeps = RunDeps & Pick<Deps, 'telemetry' | 'log'>;

/** Makes sync runs, one at a time among all replicas. */
export function createSyncRuns({ db, outbox, bus, takeSnapshot, telemetry, log, holder }: Deps) {
  let running: RunProgress | null = null;
  const time = createTime(db);
  const reportProgress: RunDeps['reportProgress'] = (phase, done = 0, total = null) => {
    if (running) running = { ...running, phase, done, total };
  };
  const deps: AttemptDeps = { db, outbox, bus, takeSnapshot, time, reportProgress, telemetry, log };
  return {
    running: () => running,
    /** Waits while one is in progress in any replica. */
    run: async (request: RunRequest, { stop, isLast }: JobAttempt): Promise<SyncRunReport | null> => {
      const { confirm, release, signal: lost } = await waitForLease({ db, holder, log }, stop);
      try {
        const settings = await settingsStore.read(db);
        const signal = AbortSignal.any([lost, stop]);
        const dryRun = request.dryRun || settings.dry_run;
        const { row, redelivered } = await store.open(db, request, dryRun);
        if (row.finishedAt) return null;
        const { startedAt } = row;
        running = { passId: request.passId, phase: 'snapshot', done: 0, total: null, dryRun, startedAt };
        const run: SyncRun = { request, dryRun, settings, startedAt, redelivered, signal, confirm };
        const report = await runAttempt(run, isLast, deps);
        telemetry.finished(report);
        time.finished(report);
        return report;
      } finally {
        running = null;
        await release();
      }
    },
  };
}

export type SyncRuns = ReturnType<typeof createSyncRuns>;

async function runAttempt(run: SyncRun, isLast: boolean, deps: AttemptDeps): Promise<SyncRunReport> {
  try {
    await closeAbandonedRuns(run, deps);
    return await runUnderLease(run, deps);
  } catch (error) {
    if (!isLast || run.signal.aborted) throw error;
    deps.log.error({ err: error, run: run.request.passId }, 'directory sync failed: last attempt');
    const message = isAppError(error)
      ? error.message
      : 'The sync run failed. The log of the service contains the reason.';
    return closeWithoutPlan({ ...run, redelivered: true }, { status: 'failed', error: message }, deps);
  }
}

/** Writes the reports of sync runs whose process crashed and that were not resumed. */
async function closeAbandonedRuns(current: SyncRun, deps: AttemptDeps): Promise<void> {
  for (const { id: passId, trigger, dryRun, startedAt } of await store.unfinished(deps.db, current.request.passId)) {
    const request = { passId, trigger: trigger as RunRequest['trigger'], dryRun, approvedPass: null };
    const run = { ...current, request, dryRun, startedAt, redelivered: true };
    const error = 'The sync run was interrupted, and a later sync run replaced it.';
    deps.telemetry.finished(await closeWithoutPlan(run, { status: 'failed', error }, deps));
  }
}

async function runUnderLease(run: SyncRun, deps: AttemptDeps): Promise<SyncRunReport> {
  const disabled = (error: string) => closeWithoutPlan(run, { status: 'disabled', error }, deps);
  // Dry runs are allowed before the directory sync is enabled.
  if (!run.settings.enabled && !run.dryRun) return disabled('The directory sync is switched off.');
  const rules = await deps.bus.request(directorySyncRpc.rules, {});
  if (!rules.enabled) return disabled('Sign-in with the directory is switched off.');
  try {
    return await executeRun(run, rules, deps);
  } catch (error) {
    if (!isAppError(error) || error.code !== 'directory_unavailable') throw error;
    deps.log.error({ err: error, run: run.request.passId }, 'directory sync aborted: directory unavailable');
    return closeWithoutPlan(run, { status: 'directory_unavailable', error: error.message }, deps);
  }
}
