import type { SyncRunReport } from '@overtone/contracts';
import type { Account, Change, DeprovisioningCandidate, Plan } from '../plan/plan.ts';

/** The request that starts a sync run. */
export type RunRequest = {
  passId: string;
  trigger: 'schedule' | 'manual' | 'approval';
  /** Requested as a dry run, independent of the setting. */
  dryRun: boolean;
  approvedPass: string | null;
};
export type Phase = 'snapshot' | 'plan' | 'recheck' | 'apply';
export type RunProgress = {
  passId: string;
  phase: Phase;
  done: number;
  total: number | null;
  dryRun: boolean;
  startedAt: Date;
};

/** The account fields in a report. */
type ReportedAccount = Pick<Account, 'userId' | 'email' | 'login' | 'role'>;
/** The results of a planned deprovisioning and of a planned change. */
export type CandidateResult = {
  candidate: Omit<DeprovisioningCandidate, 'account'> & { account: ReportedAccount };
  outcome: SyncRunReport['actions'][number]['outcome'];
  sessionsRevoked?: number;
};
export type ChangeResult = {
  change: Omit<Change, 'account'> & { account: ReportedAccount };
  applied: boolean;
  error?: string;
};
export type Results = {
  candidates: CandidateResult[];
  changes: ChangeResult[];
};

/** Maximum length of lists in a report; all decisions are stored as rows. */
const maxListed = 1_000;

type RunFacts = {
  request: RunRequest;
  dryRun: boolean;
  startedAt: Date;
  finishedAt: Date;
  maxDisables: number;
  groupNames: ReadonlyMap<string, string>;
};
type SnapshotFacts = { seen: number; requests: number; proof: SyncRunReport['proof'] };

/** The report of a sync run that completed its plan. */
export function reportOf(plan: Plan, results: Results, facts: RunFacts & SnapshotFacts): SyncRunReport {
  return {
    ...emptyReport(facts),
    ...outcomesOf(results, facts),
    status: plan.status,
    error: plan.error,
    checked: plan.checked,
    seen: facts.seen,
    proof: [...facts.proof, { code: 'known', evidence: `${plan.known} of our accounts were seen` }],
    eligible_for_reactivation: plan.returned
      .slice(0, maxListed)
      .map(({ userId, email }) => ({ user_uuid: userId, email })),
    set_digest: plan.digest,
  };
}

/** The outcome per account, for the report. */
function outcomesOf(results: Results, { dryRun, groupNames }: Pick<RunFacts, 'dryRun' | 'groupNames'>) {
  const count = (outcome: CandidateResult['outcome']) =>
    results.candidates.filter((result) => result.outcome === outcome).length;
  const namesOf = (ids: readonly string[]) => ids.map((id) => groupNames.get(id) ?? id);
  return {
    candidates: results.candidates.length,
    disabled: count('disabled'),
    // A held set is disabled after its approval: a dry run counts it.
    would_disable: count('would_disable') + (dryRun ? count('held') : 0),
    deferred: count('deferred'),
    capped: count('deferred') > 0,
    actions: results.candidates.slice(0, maxListed).map(({ candidate, outcome, sessionsRevoked }) => ({
      user_uuid: candidate.account.userId,
      email: candidate.account.email,
      ldap_uid: candidate.account.login,
      reason: candidate.reason,
      outcome,
      applied: outcome === 'disabled',
      ...(sessionsRevoked === undefined ? {} : { sessions_revoked: sessionsRevoked }),
      evidence: { ...candidate.evidence },
    })),
    reconciled: results.changes.filter(({ applied }) => applied).length,
    reconciliations: results.changes.slice(0, maxListed).map(({ change, applied, error }) => ({
      user_uuid: change.account.userId,
      email: change.account.email,
      ...(change.role ? { role_from: change.account.role, role_to: change.role } : {}),
      groups_added: namesOf(change.add),
      groups_removed: namesOf(change.remove),
      applied,
      ...(error ? { error } : {}),
    })),
  };
}

/** The report of a sync run without a plan; an earlier attempt may have made changes. */
export function abortedReport(
  facts: RunFacts,
  end: { status: SyncRunReport['status']; error: string | null },
  earlier: Results,
): SyncRunReport {
  return { ...emptyReport(facts), ...outcomesOf(earlier, facts), ...end };
}

function emptyReport({ request, ...facts }: RunFacts & Partial<SnapshotFacts>): SyncRunReport {
  return {
    pass_uuid: request.passId,
    status: 'disabled',
    error: null,
    dry_run: facts.dryRun,
    trigger: request.trigger,
    checked: 0,
    seen: 0,
    candidates: 0,
    disabled: 0,
    undone: 0,
    would_disable: 0,
    deferred: 0,
    capped: false,
    max_disables_per_run: facts.maxDisables,
    actions: [],
    reconciled: 0,
    reconciliations: [],
    eligible_for_reactivation: [],
    ldap_requests: facts.requests ?? 0,
    proof: facts.proof ?? [],
    set_digest: null,
    approved_at: null,
    started_at: facts.startedAt.toISOString(),
    finished_at: facts.finishedAt.toISOString(),
    duration_s: (facts.finishedAt.getTime() - facts.startedAt.getTime()) / 1000,
  };
}
