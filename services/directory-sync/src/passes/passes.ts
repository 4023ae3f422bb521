import { sweepRpc, type PassReport } from '@overtone/contracts';
import { isAppError, type Log } from '@overtone/service-kit';
import { waitForLease } from '../lease/lease.ts';
import { settingsStore } from '../settings/settings.ts';
import type { Telemetry } from '../telemetry.ts';
import { closeWithoutPlan, runPass, type Pass, type PassDeps } from './pass.ts';
import { passesStore as store } from './passes.store.ts';
import type { PassRequest, RunningPass } from './report.ts';
import { createTime } from './time.ts';

type Deps = Pick<PassDeps, 'db' | 'bus' | 'takeSnapshot'> & { telemetry: Telemetry; log: Log; holder: string };
/** `isLast`: the job is not retried after this attempt, so its report is written in any case. */
type JobAttempt = { stop: AbortSignal; isLast: boolean };
type AttemptDeps = PassDeps & Pick<Deps, 'telemetry' | 'log'>;

/** Runs passes, one at a time among all replicas. */
export function createPasses({ db, bus, takeSnapshot, telemetry, log, holder }: Deps) {
  let running: RunningPass | null = null;
  const time = createTime(db);
  const reportProgress: PassDeps['reportProgress'] = (phase, done = 0, total = null) => {
    if (running) running = { ...running, phase, done, total };
  };
  const deps: AttemptDeps = { db, bus, takeSnapshot, time, reportProgress, telemetry, log };
  return {
    running: () => running,
    /** Waits while another pass runs in any replica. */
    run: async (request: PassRequest, { stop, isLast }: JobAttempt): Promise<PassReport | null> => {
      const { confirm, release, signal: lost } = await waitForLease({ db, holder, log }, stop);
      try {
        const settings = await settingsStore.read(db);
        const signal = AbortSignal.any([lost, stop]);
        const dryRun = request.dryRun || settings.dry_run;
        const { row, redelivered } = await store.open(db, request, dryRun);
        if (row.finishedAt) return null;
        const { startedAt } = row;
        running = { passId: request.passId, phase: 'snapshot', done: 0, total: null, dryRun, startedAt };
        const pass: Pass = { request, dryRun, settings, startedAt, redelivered, signal, confirm };
        const report = await runAttempt(pass, isLast, deps);
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

export type Passes = ReturnType<typeof createPasses>;

async function runAttempt(pass: Pass, isLast: boolean, deps: AttemptDeps): Promise<PassReport> {
  try {
    await closeAbandonedPasses(pass, deps);
    return await runUnderLease(pass, deps);
  } catch (error) {
    if (!isLast || pass.signal.aborted) throw error;
    deps.log.error({ err: error, pass: pass.request.passId }, 'directory sync failed: last attempt');
    const message = isAppError(error) ? error.message : 'The pass failed. The log of the service contains the reason.';
    return closeWithoutPlan({ ...pass, redelivered: true }, { status: 'failed', error: message }, deps);
  }
}

/** Writes the reports of passes whose process crashed and that were not resumed. */
async function closeAbandonedPasses(current: Pass, deps: AttemptDeps): Promise<void> {
  for (const { id: passId, trigger, dryRun, startedAt } of await store.unfinished(deps.db, current.request.passId)) {
    const request = { passId, trigger: trigger as PassRequest['trigger'], dryRun, approvedPass: null };
    const pass = { ...current, request, dryRun, startedAt, redelivered: true };
    const error = 'The pass was interrupted, and a later pass replaced it.';
    deps.telemetry.finished(await closeWithoutPlan(pass, { status: 'failed', error }, deps));
  }
}

async function runUnderLease(pass: Pass, deps: AttemptDeps): Promise<PassReport> {
  const disabled = (error: string) => closeWithoutPlan(pass, { status: 'disabled', error }, deps);
  // Dry runs are allowed before the sweep is enabled.
  if (!pass.settings.enabled && !pass.dryRun) return disabled('The sweep is switched off.');
  const rules = await deps.bus.request(sweepRpc.rules, {});
  if (!rules.enabled) return disabled('Sign-in with the directory is switched off.');
  try {
    return await runPass(pass, rules, deps);
  } catch (error) {
    if (!isAppError(error) || error.code !== 'directory_unavailable') throw error;
    deps.log.error({ err: error, pass: pass.request.passId }, 'directory sync aborted: directory unavailable');
    return closeWithoutPlan(pass, { status: 'directory_unavailable', error: error.message }, deps);
  }
}
