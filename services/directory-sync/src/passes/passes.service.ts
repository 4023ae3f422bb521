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
import { beforeOf, doneBy, noResults, together } from './earlier.ts';
import { abortedReport, reportOf, type Order, type Phase, type Results, type Running } from './report.ts';
import { passesStore as store } from './passes.store.ts';
import { createTime } from './time.ts';
import { witness } from './witness.ts';

type SweepRules = ReplyOf<typeof sweepRpc.rules>;
/** Creates the snapshot function for the directory of these rules. */
export type SnapshotOf = (rules: SweepRules) => TakeSnapshot;
type Deps = {
  db: Db;
  bus: Pick<Bus, 'ask'>;
  snapshotOf: SnapshotOf;
  telemetry: Telemetry;
  log: Log;
  holder: string;
};
type Pass = {
  order: Order;
  dryRun: boolean;
  settings: SweepSettings;
  startedAt: Date;
  /** An earlier attempt of this pass was interrupted. */
  again: boolean;
  signal: AbortSignal;
  confirm: Lease['confirm'];
};
/** `last`: the job is not retried after this attempt, so its report is written in any case. */
type Attempt = { stop: AbortSignal; last: boolean };

/** One pass: snapshot, plan, apply, in this direction only. A dry run is the same without the last step. */
export const createPasses = (d: Deps) => {
  let running: Running | null = null;
  const time = createTime(d.db);
  const at = (phase: Phase, done = 0, total: number | null = null): void => {
    if (running) running = { ...running, phase, done, total };
  };

  const apply = createApply({ bus: d.bus, onProgress: (done, total) => at('apply', done, total) });

  const doneBefore = ({ order, startedAt, again }: Pass): Promise<Results> =>
    again ? doneBy(d.bus, order.passId, startedAt) : Promise.resolve(noResults);

  const planOf = async (pass: Pass, snapshot: Snapshot, rules: Rules): Promise<{ plan: Plan; earlier: Results }> => {
    const { max_disables_per_run: maxDisables, max_disable_percent: maxPercent } = pass.settings;
    const approved = pass.order.approvedPass ? await store.approvedSet(d.db, pass.order.approvedPass) : null;
    const limits: Limits = { maxDisables, maxPercent, approved };
    const plan = createPlan(snapshot.people, rules, limits);
    at('plan');
    let done = 0;
    for await (const page of accountPages(d.bus)) {
      plan.add(page);
      at('plan', (done += page.length));
      pass.signal.throwIfAborted();
    }
    // Read after the accounts, so that the audit log contains every change that they show.
    const earlier = await doneBefore(pass);
    return { plan: plan.finish(beforeOf(earlier)), earlier };
  };

  const factsOf = ({ order, dryRun, startedAt, settings }: Pass, groups: SweepRules['groups'] = []) => ({
    order,
    dryRun,
    startedAt,
    finishedAt: new Date(),
    maxDisables: settings.max_disables_per_run,
    groupNames: new Map(groups.map((g) => [g.groupId, g.name])),
  });

  const sweep = async (pass: Pass, rules: SweepRules): Promise<PassReport> => {
    const { dryRun } = pass;
    at('snapshot');
    const snapshot = await d.snapshotOf(rules)(
      pass.signal,
      (seen) => at('snapshot', seen),
      await time.clock(pass.settings),
    );
    const planRules = { mappings: compileMappings('ldap', rules.mappings, rules.anyMapping) };
    const { plan, earlier } = await planOf(pass, snapshot, planRules);
    const onNext = (done: number, total: number) => at('witness', done, total);
    const rechecked = await witness(plan, { dryRun, snapshot, rules: planRules, onNext });
    const now = dryRun
      ? { leavers: rechecked, changes: plan.changes.map((change) => ({ change, applied: false })) }
      : await apply(pass, rechecked, plan);
    const results = together(earlier, now);
    const { seen, proof } = snapshot;
    const snapshotFacts = { seen, proof: [...proof], requests: snapshot.requests() };
    const report = reportOf(plan, results, { ...factsOf(pass, rules.groups), ...snapshotFacts });
    await pass.confirm();
    await store.close(d.db, report, { ...results, returned: plan.returned });
    return report;
  };

  /** Ends a pass without decisions; the report contains the changes of an earlier attempt. */
  const closeWithoutPlan = async (
    pass: Pass,
    status: PassReport['status'],
    error: string | null,
  ): Promise<PassReport> => {
    const earlier = await doneBefore(pass);
    const report = abortedReport(factsOf(pass), { status, error }, earlier);
    await store.close(d.db, report, { ...earlier, returned: [] });
    return report;
  };

  /** Writes the reports of passes whose process crashed and that were not resumed. */
  const closeAbandoned = async (now: Pass): Promise<void> => {
    for (const { id, trigger, dryRun, startedAt } of await store.unfinished(d.db, now.order.passId)) {
      const left: Order = { passId: id, trigger: trigger as Order['trigger'], dryRun, approvedPass: null };
      const pass = { ...now, order: left, dryRun, startedAt, again: true };
      d.telemetry.finished(
        await closeWithoutPlan(pass, 'failed', 'The pass was broken off, and a later one took its place.'),
      );
    }
  };

  const underLease = async (pass: Pass): Promise<PassReport> => {
    // Dry runs are allowed before the sweep is enabled.
    if (!pass.settings.enabled && !pass.dryRun) return closeWithoutPlan(pass, 'disabled', 'The sweep is switched off.');
    const rules = await d.bus.ask(sweepRpc.rules, {});
    if (!rules.enabled) return closeWithoutPlan(pass, 'disabled', 'Sign-in with the directory is switched off.');
    try {
      return await sweep(pass, rules);
    } catch (e) {
      if (!isAppError(e) || e.code !== 'directory_unavailable') throw e;
      d.log.error({ err: e, pass: pass.order.passId }, 'the sweep was broken off; nobody was disabled');
      return closeWithoutPlan(pass, 'directory_unavailable', e.message);
    }
  };

  const runAttempt = (pass: Pass, { last }: Attempt): Promise<PassReport> =>
    closeAbandoned(pass)
      .then(() => underLease(pass))
      .catch((e: unknown) => {
        if (!last || pass.signal.aborted) throw e;
        d.log.error({ err: e, pass: pass.order.passId }, 'the sweep failed at its last try');
        const why = isAppError(e) ? e.message : 'The pass failed; the log of the service tells why.';
        return closeWithoutPlan({ ...pass, again: true }, 'failed', why);
      });

  return {
    running: () => running,
    /** Waits while another pass runs in any replica. */
    run: async (order: Order, how: Attempt): Promise<PassReport | null> => {
      const lease = await waitForLease(d, how.stop);
      try {
        const settings = await settingsStore.read(d.db);
        const signal = AbortSignal.any([lease.signal, how.stop]);
        const dryRun = order.dryRun || settings.dry_run;
        const { row, again } = await store.open(d.db, order, dryRun);
        if (row.finishedAt) return null;
        const { startedAt } = row;
        running = { passId: order.passId, phase: 'snapshot', done: 0, total: null, dryRun, startedAt };
        const { confirm } = lease;
        const report = await runAttempt({ order, dryRun, settings, startedAt, again, signal, confirm }, how);
        d.telemetry.finished(report);
        time.finished(report);
        return report;
      } finally {
        running = null;
        await lease.release();
      }
    },
  };
};
export type Passes = ReturnType<typeof createPasses>;
