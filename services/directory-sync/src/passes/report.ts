import type { PassReport } from '@overtone/contracts';
import type { Account, Change, Leaver, Plan } from '../plan/plan.ts';

export type Order = {
  passId: string;
  trigger: 'schedule' | 'manual' | 'approval';
  /** Requested as a dry run, independent of the setting. */
  dryRun: boolean;
  approvedPass: string | null;
};
export type Phase = 'snapshot' | 'plan' | 'witness' | 'apply';
export type Running = {
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
export type LeaverResult = {
  leaver: Omit<Leaver, 'account'> & { account: ReportedAccount };
  outcome: PassReport['actions'][number]['outcome'];
  sessionsRevoked?: number;
};
export type ChangeResult = {
  change: Omit<Change, 'account'> & { account: ReportedAccount };
  applied: boolean;
  error?: string;
};
export type Results = {
  leavers: LeaverResult[];
  changes: ChangeResult[];
};

/** Maximum length of lists in a report; all decisions are stored as rows. */
const maxListed = 1_000;

type Facts = {
  order: Order;
  dryRun: boolean;
  startedAt: Date;
  finishedAt: Date;
  maxDisables: number;
  groupNames: ReadonlyMap<string, string>;
};
type Planned = { seen: number; requests: number; proof: PassReport['proof'] };

/** The report of a pass that completed its plan. */
export const reportOf = (plan: Plan, results: Results, f: Facts & Planned): PassReport => ({
  ...emptyReport(f.order, f),
  ...outcomesOf(results, f.groupNames),
  status: plan.status,
  error: plan.error,
  checked: plan.checked,
  seen: f.seen,
  proof: [...f.proof, { code: 'known', evidence: `${plan.known} of our accounts were seen` }],
  eligible_for_reactivation: plan.returned
    .slice(0, maxListed)
    .map(({ userId, email }) => ({ user_uuid: userId, email })),
  set_digest: plan.digest,
});

/** The outcome per account, for the report. */
const outcomesOf = (results: Results, groupNames: Facts['groupNames']) => {
  const count = (outcome: LeaverResult['outcome']) => results.leavers.filter((l) => l.outcome === outcome).length;
  const named = (ids: readonly string[]) => ids.map((id) => groupNames.get(id) ?? id);
  return {
    candidates: results.leavers.length,
    disabled: count('disabled'),
    would_disable: count('would_disable'),
    deferred: count('deferred'),
    capped: count('deferred') > 0,
    actions: results.leavers.slice(0, maxListed).map(({ leaver, outcome, sessionsRevoked }) => ({
      user_uuid: leaver.account.userId,
      email: leaver.account.email,
      ldap_uid: leaver.account.login,
      reason: leaver.reason,
      outcome,
      applied: outcome === 'disabled',
      ...(sessionsRevoked === undefined ? {} : { sessions_revoked: sessionsRevoked }),
      evidence: { ...leaver.evidence },
    })),
    reconciled: results.changes.filter((c) => c.applied).length,
    reconciliations: results.changes.slice(0, maxListed).map(({ change, applied, error }) => ({
      user_uuid: change.account.userId,
      email: change.account.email,
      ...(change.role ? { role_from: change.account.role, role_to: change.role } : {}),
      groups_added: named(change.add),
      groups_removed: named(change.remove),
      applied,
      ...(error ? { error } : {}),
    })),
  };
};

/** The report of a pass without a plan; an earlier attempt may have made changes. */
export const abortedReport = (
  f: Facts,
  why: { status: PassReport['status']; error: string | null },
  earlier: Results,
): PassReport => ({ ...emptyReport(f.order, f), ...outcomesOf(earlier, f.groupNames), ...why });

const emptyReport = (order: Order, f: Facts & Partial<Planned>): PassReport => ({
  pass_uuid: order.passId,
  status: 'disabled',
  error: null,
  dry_run: f.dryRun,
  trigger: order.trigger,
  checked: 0,
  seen: 0,
  candidates: 0,
  disabled: 0,
  undone: 0,
  would_disable: 0,
  deferred: 0,
  capped: false,
  max_disables_per_run: f.maxDisables,
  actions: [],
  reconciled: 0,
  reconciliations: [],
  eligible_for_reactivation: [],
  ldap_requests: f.requests ?? 0,
  proof: f.proof ?? [],
  set_digest: null,
  approved_at: null,
  started_at: f.startedAt.toISOString(),
  finished_at: f.finishedAt.toISOString(),
  duration_s: (f.finishedAt.getTime() - f.startedAt.getTime()) / 1000,
});
