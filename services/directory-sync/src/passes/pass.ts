import { sweepRpc, type PassReport, type ReplyOf } from '@overtone/contracts';
import { compileMappings } from '@overtone/directory';
import type { Bus } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { Lease } from '../lease/lease.ts';
import { createPlan, type Account, type Plan, type Rules } from '../plan/plan.ts';
import type { SweepSettings } from '../settings/settings.ts';
import type { Snapshot, SweepRules, TakeSnapshot } from '../snapshot/snapshot.ts';
import { applyPlan, recheckCandidates } from './apply.ts';
import { mergeResults, noResults, readAppliedChanges, toAppliedBefore } from './earlier-attempt.ts';
import { passesStore as store } from './passes.store.ts';
import { abortedReport, reportOf, type PassRequest, type Phase, type Results } from './report.ts';
import type { PassClock } from './time.ts';

export type Pass = {
  request: PassRequest;
  dryRun: boolean;
  settings: SweepSettings;
  startedAt: Date;
  /** An earlier attempt of this pass was interrupted. */
  redelivered: boolean;
  signal: AbortSignal;
  confirm: Lease['confirm'];
};

/** What the steps of a pass use. */
export type PassDeps = {
  db: Db;
  bus: Pick<Bus, 'request'>;
  takeSnapshot: TakeSnapshot;
  time: PassClock;
  reportProgress: (phase: Phase, done?: number, total?: number | null) => void;
};

/** One pass: snapshot, plan, recheck, apply, in this order. A dry run is the same without the last step. */
export async function runPass(pass: Pass, rules: SweepRules, deps: PassDeps): Promise<PassReport> {
  const { db, bus, takeSnapshot, time, reportProgress } = deps;
  const { dryRun, signal, settings } = pass;
  reportProgress('snapshot');
  const onSeen = (seen: number) => reportProgress('snapshot', seen);
  const snapshot = await takeSnapshot(rules, { signal, onSeen, clock: await time.clock(settings) });
  const planRules = { mappings: compileMappings('ldap', rules.mappings, rules.anyMapping) };
  const { plan, earlier } = await planPass(pass, { snapshot, rules: planRules }, deps);
  const rechecked = await recheckCandidates(plan, {
    dryRun,
    snapshot,
    rules: planRules,
    onProgress: (done, total) => reportProgress('recheck', done, total),
  });
  const current = dryRun
    ? { candidates: rechecked, changes: plan.changes.map((change) => ({ change, applied: false })) }
    : await applyPlan(plan, rechecked, {
        ...pass,
        bus,
        onProgress: (done, total) => reportProgress('apply', done, total),
      });
  const results = mergeResults(earlier, current);
  const snapshotFacts = { seen: snapshot.seen, proof: [...snapshot.proof], requests: snapshot.requests() };
  const report = reportOf(plan, results, { ...factsOf(pass, rules.groups), ...snapshotFacts });
  await pass.confirm();
  await store.close(db, report, { ...results, returned: plan.returned });
  return report;
}

/** Compares all accounts of identity with the snapshot. */
async function planPass(
  pass: Pass,
  { snapshot, rules }: { snapshot: Snapshot; rules: Rules },
  { db, bus, reportProgress }: PassDeps,
): Promise<{ plan: Plan; earlier: Results }> {
  const { max_disables_per_run: maxDisables, max_disable_percent: maxPercent } = pass.settings;
  const approved = pass.request.approvedPass ? await store.approvedSet(db, pass.request.approvedPass) : null;
  const plan = createPlan(snapshot.people, rules, { maxDisables, maxPercent, approved });
  reportProgress('plan');
  let done = 0;
  for await (const page of accountPages(bus)) {
    plan.add(page);
    reportProgress('plan', (done += page.length));
    pass.signal.throwIfAborted();
  }
  // Read after the accounts, so that the audit log contains every change that they show.
  const earlier = await readEarlierResults(pass, bus);
  return { plan: plan.finish(toAppliedBefore(earlier)), earlier };
}

type AccountColumns = ReplyOf<typeof sweepRpc.accounts>;
const accountsPerPage = 2_000;

/** All directory accounts of identity, page by page. The next page is requested while the current one is processed. */
async function* accountPages(bus: Pick<Bus, 'request'>): AsyncGenerator<Account[]> {
  const requestPage = (after: string | null): Promise<AccountColumns> =>
    bus.request(sweepRpc.accounts, { after, limit: accountsPerPage });
  for (let nextPage = requestPage(null); ;) {
    const columns = await nextPage;
    const last = columns.userId.at(-1);
    if (last === undefined) return;
    nextPage = requestPage(last);
    nextPage.catch(() => undefined); // the error is thrown by the next await
    yield accountsOf(columns);
  }
}

function accountsOf(columns: AccountColumns): Account[] {
  return columns.userId.map((userId, i) => ({
    userId,
    email: at(columns.email, i),
    login: at(columns.login, i),
    directoryId: at(columns.directoryId, i),
    authType: at(columns.authType, i),
    role: at(columns.role, i),
    active: at(columns.active, i),
    disabledBy: at(columns.disabledBy, i),
    fromDirectory: at(columns.fromDirectory, i),
    byHand: at(columns.byHand, i),
  }));
}

/** The columns have equal length, so the value exists. */
function at<T>(column: readonly T[], i: number): T {
  return column[i] as T;
}

/** Ends a pass without decisions; the report contains the changes of an earlier attempt. */
export async function closeWithoutPlan(
  pass: Pass,
  end: { status: PassReport['status']; error: string | null },
  { db, bus }: Pick<PassDeps, 'db' | 'bus'>,
): Promise<PassReport> {
  const earlier = await readEarlierResults(pass, bus);
  const report = abortedReport(factsOf(pass), end, earlier);
  await store.close(db, report, { ...earlier, returned: [] });
  return report;
}

async function readEarlierResults({ request, startedAt, redelivered }: Pass, bus: PassDeps['bus']): Promise<Results> {
  return redelivered ? await readAppliedChanges(bus, request.passId, startedAt) : noResults;
}

function factsOf({ request, dryRun, startedAt, settings }: Pass, groups: SweepRules['groups'] = []) {
  return {
    request,
    dryRun,
    startedAt,
    finishedAt: new Date(),
    maxDisables: settings.max_disables_per_run,
    groupNames: new Map(groups.map(({ groupId, name }) => [groupId, name])),
  };
}
