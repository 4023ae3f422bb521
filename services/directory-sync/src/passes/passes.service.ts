import { sweepRpc, type PassReport, type ReplyOf } from '@overtone/contracts';
import { compileMappings } from '@overtone/directory';
import { isAppError, type Bus, type Log } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { waitForLease, type Lease } from '../lease/lease.ts';
import { createPlan, type Limits, type Plan, type Rules } from '../plan/plan.ts';
import { settingsStore, type SweepSettings } from '../settings/settings.ts';
import type { Snapshot, TakeSnapshot } from '../snapshot/snapshot.ts';
import type { Telemetry } from '../telemetry.ts';
import { accountPages } from './accounts.ts';
import { createApply } from './apply.service.ts';
import { mergeResults, noResults, readAppliedChanges, toAppliedBefore } from './earlier-attempt.ts';
import { passesStore as store } from './passes.store.ts';
import { recheckCandidates } from './recheck.ts';
import { abortedReport, reportOf, type PassRequest, type Phase, type Results, type RunningPass } from './report.ts';
import { createTime } from './time.ts';

type SweepRules = ReplyOf<typeof sweepRpc.rules>;
/** Creates the snapshot function for the directory of these rules. */
export type SnapshotOf = (rules: SweepRules) => TakeSnapshot;
type Deps = {
  db: Db;
  bus: Pick<Bus, 'request'>;
  snapshotOf: SnapshotOf;
  telemetry: Telemetry;
  log: Log;
  holder: string;
};
type Pass = {
  request: PassRequest;
  dryRun: boolean;
  settings: SweepSettings;
  startedAt: Date;
  /** An earlier attempt of this pass was interrupted. */
  redelivered: boolean;
  signal: AbortSignal;
  confirm: Lease['confirm'];
};
/** `isLast`: the job is not retried after this attempt, so its report is written in any case. */
type JobAttempt = { stop: AbortSignal; isLast: boolean };

/** One pass: snapshot, plan, apply, in this direction only. A dry run is the same without the last step. */
export function createPasses({ db, bus, snapshotOf, telemetry, log, holder }: Deps) {
  let running: RunningPass | null = null;
  const time = createTime(db);
  const reportProgress = (phase: Phase, done = 0, total: number | null = null): void => {
    if (running) running = { ...running, phase, done, total };
  };

  const apply = createApply({ bus, onProgress: (done, total) => reportProgress('apply', done, total) });

  const readEarlierResults = ({ request, startedAt, redelivered }: Pass): Promise<Results> =>
    redelivered ? readAppliedChanges(bus, request.passId, startedAt) : Promise.resolve(noResults);

  const makePlan = async (pass: Pass, snapshot: Snapshot, rules: Rules): Promise<{ plan: Plan; earlier: Results }> => {
    const { max_disables_per_run: maxDisables, max_disable_percent: maxPercent } = pass.settings;
    const approved = pass.request.approvedPass ? await store.approvedSet(db, pass.request.approvedPass) : null;
    const limits: Limits = { maxDisables, maxPercent, approved };
    const plan = createPlan(snapshot.people, rules, limits);
    reportProgress('plan');
    let done = 0;
    for await (const page of accountPages(bus)) {
      plan.add(page);
      reportProgress('plan', (done += page.length));
      pass.signal.throwIfAborted();
    }
    // Read after the accounts, so that the audit log contains every change that they show.
    const earlier = await readEarlierResults(pass);
    return { plan: plan.finish(toAppliedBefore(earlier)), earlier };
  };

  const factsOf = ({ request, dryRun, startedAt, settings }: Pass, groups: SweepRules['groups'] = []) => ({
    request,
    dryRun,
    startedAt,
    finishedAt: new Date(),
    maxDisables: settings.max_disables_per_run,
    groupNames: new Map(groups.map(({ groupId, name }) => [groupId, name])),
  });

  const runSweep = async (pass: Pass, rules: SweepRules): Promise<PassReport> => {
    const { dryRun } = pass;
    reportProgress('snapshot');
    const snapshot = await snapshotOf(rules)(
      pass.signal,
      (seen) => reportProgress('snapshot', seen),
      await time.clock(pass.settings),
    );
    const planRules = { mappings: compileMappings('ldap', rules.mappings, rules.anyMapping) };
    const { plan, earlier } = await makePlan(pass, snapshot, planRules);
    const onProgress = (done: number, total: number) => reportProgress('witness', done, total);
    const rechecked = await recheckCandidates(plan, { dryRun, snapshot, rules: planRules, onProgress });
    const current = dryRun
      ? { candidates: rechecked, changes: plan.changes.map((change) => ({ change, applied: false })) }
      : await apply(pass, rechecked, plan);
    const results = mergeResults(earlier, current);
    const { seen, proof } = snapshot;
    const snapshotFacts = { seen, proof: [...proof], requests: snapshot.requests() };
    const report = reportOf(plan, results, { ...factsOf(pass, rules.groups), ...snapshotFacts });
    await pass.confirm();
    await store.close(db, report, { ...results, returned: plan.returned });
    return report;
  };

  /** Ends a pass without decisions; the report contains the changes of an earlier attempt. */
  const closeWithoutPlan = async (
    pass: Pass,
    status: PassReport['status'],
    error: string | null,
  ): Promise<PassReport> => {
    const earlier = await readEarlierResults(pass);
    const report = abortedReport(factsOf(pass), { status, error }, earlier);
    await store.close(db, report, { ...earlier, returned: [] });
    return report;
  };

  /** Writes the reports of passes whose process crashed and that were not resumed. */
  const closeAbandonedPasses = async (current: Pass): Promise<void> => {
    for (const { id, trigger, dryRun, startedAt } of await store.unfinished(db, current.request.passId)) {
      const request: PassRequest = {
        passId: id,
        trigger: trigger as PassRequest['trigger'],
        dryRun,
        approvedPass: null,
      };
      const pass = { ...current, request, dryRun, startedAt, redelivered: true };
      telemetry.finished(
        await closeWithoutPlan(pass, 'failed', 'The pass was interrupted, and a later pass replaced it.'),
      );
    }
  };

  const runUnderLease = async (pass: Pass): Promise<PassReport> => {
    // Dry runs are allowed before the sweep is enabled.
    if (!pass.settings.enabled && !pass.dryRun) return closeWithoutPlan(pass, 'disabled', 'The sweep is switched off.');
    const rules = await bus.request(sweepRpc.rules, {});
    if (!rules.enabled) return closeWithoutPlan(pass, 'disabled', 'Sign-in with the directory is switched off.');
    try {
      return await runSweep(pass, rules);
    } catch (error) {
      if (!isAppError(error) || error.code !== 'directory_unavailable') throw error;
      log.error({ err: error, pass: pass.request.passId }, 'directory sync aborted: directory unavailable');
      return closeWithoutPlan(pass, 'directory_unavailable', error.message);
    }
  };

  const runAttempt = async (pass: Pass, { isLast }: JobAttempt): Promise<PassReport> => {
    try {
      await closeAbandonedPasses(pass);
      return await runUnderLease(pass);
    } catch (error) {
      if (!isLast || pass.signal.aborted) throw error;
      log.error({ err: error, pass: pass.request.passId }, 'directory sync failed: last attempt');
      const message = isAppError(error)
        ? error.message
        : 'The pass failed. The log of the service contains the reason.';
      return closeWithoutPlan({ ...pass, redelivered: true }, 'failed', message);
    }
  };

  return {
    running: () => running,
    /** Waits while another pass runs in any replica. */
    run: async (request: PassRequest, attempt: JobAttempt): Promise<PassReport | null> => {
      const lease = await waitForLease({ db, holder, log }, attempt.stop);
      try {
        const settings = await settingsStore.read(db);
        const signal = AbortSignal.any([lease.signal, attempt.stop]);
        const dryRun = request.dryRun || settings.dry_run;
        const { row, redelivered } = await store.open(db, request, dryRun);
        if (row.finishedAt) return null;
        const { startedAt } = row;
        running = { passId: request.passId, phase: 'snapshot', done: 0, total: null, dryRun, startedAt };
        const { confirm } = lease;
        const pass: Pass = { request, dryRun, settings, startedAt, redelivered, signal, confirm };
        const report = await runAttempt(pass, attempt);
        telemetry.finished(report);
        time.finished(report);
        return report;
      } finally {
        running = null;
        await lease.release();
      }
    },
  };
}

export type Passes = ReturnType<typeof createPasses>;
