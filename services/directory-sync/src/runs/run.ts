import { directorySyncRpc, type SyncRunReport, type ReplyOf } from '@overtone/contracts';
import { compileMappings } from '@overtone/directory';
import type { Outbox } from '@overtone/database';
import type { Bus } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { Lease } from '../lease/lease.ts';
import { createPlan, type Account, type Plan, type Rules } from '../plan/plan.ts';
import type { SyncSettings } from '../settings/settings.ts';
import type { Snapshot, DirectoryRules, TakeSnapshot } from '../snapshot/snapshot.ts';
import { applyPlan, recheckCandidates } from './apply.ts';
import { mergeResults, noResults, readAppliedChanges, toAppliedBefore } from './earlier-attempt.ts';
import { runsStore as store } from './runs.store.ts';
import { abortedReport, reportOf, type RunRequest, type Phase, type Results } from './report.ts';
import type { RunClock } from './time.ts';

export type SyncRun = {
  request: RunRequest;
  dryRun: boolean;
  settings: SyncSettings;
  startedAt: Date;
  /** An earlier attempt of this sync run was interrupted. */
  redelivered: boolean;
  signal: AbortSignal;
  confirm: Lease['confirm'];
};

/** What the steps of a sync run use. */
export type RunDeps = {
  db: Db;
  outbox: Outbox;
  bus: Pick<Bus, 'request'>;
  takeSnapshot: TakeSnapshot;
  time: RunClock;
  reportProgress: (phase: Phase, done?: number, total?: number | null) => void;
};

/** One sync run: snapshot, plan, recheck, apply, in this order. A dry run is the same without the last step. */
export async function executeRun(run: SyncRun, rules: DirectoryRules, deps: RunDeps): Promise<SyncRunReport> {
  const { bus, takeSnapshot, time, reportProgress } = deps;
  const { dryRun, signal, settings } = run;
  reportProgress('snapshot');
  const onSeen = (seen: number) => reportProgress('snapshot', seen);
  const snapshot = await takeSnapshot(rules, { signal, onSeen, clock: await time.clock(settings) });
  const planRules = { mappings: compileMappings('ldap', rules.mappings, rules.anyMapping) };
  const { plan, earlier } = await planRun(run, { snapshot, rules: planRules }, deps);
  const rechecked = await recheckCandidates(plan, {
    dryRun,
    snapshot,
    rules: planRules,
    onProgress: (done, total) => reportProgress('recheck', done, total),
  });
  const current = dryRun
    ? { candidates: rechecked, changes: plan.changes.map((change) => ({ change, applied: false })) }
    : await applyPlan(plan, rechecked, {
        ...run,
        bus,
        onProgress: (done, total) => reportProgress('apply', done, total),
      });
  const results = mergeResults(earlier, current);
  const snapshotFacts = { seen: snapshot.seen, proof: [...snapshot.proof], requests: snapshot.requests() };
  const report = reportOf(plan, results, { ...factsOf(run, rules.groups), ...snapshotFacts });
  await run.confirm();
  await store.close(deps, report, { ...results, returned: plan.returned });
  return report;
}

/** Compares all accounts of identity with the snapshot. */
async function planRun(
  run: SyncRun,
  { snapshot, rules }: { snapshot: Snapshot; rules: Rules },
  { db, bus, reportProgress }: RunDeps,
): Promise<{ plan: Plan; earlier: Results }> {
  const { max_disables_per_run: maxDisables, max_disable_percent: maxPercent } = run.settings;
  const approved = run.request.approvedPass ? await store.approvedSet(db, run.request.approvedPass) : null;
  const plan = createPlan(snapshot.people, rules, { maxDisables, maxPercent, approved });
  reportProgress('plan');
  let done = 0;
  for await (const page of accountPages(bus)) {
    plan.add(page);
    reportProgress('plan', (done += page.length));
    run.signal.throwIfAborted();
  }
  // Read after the accounts, so that the audit log contains every change that they show.
  const earlier = await readEarlierResults(run, bus);
  return { plan: plan.finish(toAppliedBefore(earlier)), earlier };
}

type AccountColumns = ReplyOf<typeof directorySyncRpc.accounts>;
const accountsPerPage = 2_000;

/** All directory accounts of identity, page by page. The next page is requested while the current one is processed. */
async function* accountPages(bus: Pick<Bus, 'request'>): AsyncGenerator<Account[]> {
  const requestPage = (after: string | null): Promise<AccountColumns> =>
    bus.request(directorySyncRpc.accounts, { after, limit: accountsPerPage });
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

/** Ends a sync run without decisions; the report contains the changes of an earlier attempt. */
export async function closeWithoutPlan(
  run: SyncRun,
  end: { status: SyncRunReport['status']; error: string | null },
  { db, outbox, bus }: Pick<RunDeps, 'db' | 'outbox' | 'bus'>,
): Promise<SyncRunReport> {
  const earlier = await readEarlierResults(run, bus);
  const report = abortedReport(factsOf(run), end, earlier);
  await store.close({ db, outbox }, report, { ...earlier, returned: [] });
  return report;
}

async function readEarlierResults({ request, startedAt, redelivered }: SyncRun, bus: RunDeps['bus']): Promise<Results> {
  return redelivered ? await readAppliedChanges(bus, request.passId, startedAt) : noResults;
}

function factsOf({ request, dryRun, startedAt, settings }: SyncRun, groups: DirectoryRules['groups'] = []) {
  return {
    request,
    dryRun,
    startedAt,
    finishedAt: new Date(),
    maxDisables: settings.max_disables_per_run,
    groupNames: new Map(groups.map(({ groupId, name }) => [groupId, name])),
  };
}
