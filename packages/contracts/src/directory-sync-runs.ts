import { z } from 'zod';
import { roles } from './define.ts';
import { time } from './http.ts';

/** Why an account is disabled by a sync run (specification, "States and transitions"). */
export const leaveReasons = ['absent_from_directory', 'disabled_in_directory', 'no_longer_in_required_groups'] as const;
export type LeaveReason = (typeof leaveReasons)[number];

/**
 * Outcome of a deprovisioning candidate. `deferred`: above the run's limit; `held`: the whole set waits for approval;
 * `replication_pending`: found by the verification read; `changed_meanwhile`: the account has changed since the plan.
 */
export const leaveOutcomes = [
  'disabled',
  'would_disable',
  'deferred',
  'held',
  'replication_pending',
  'changed_meanwhile',
  'undone',
] as const;

export const syncRunStatuses = ['running', 'ok', 'held', 'directory_unavailable', 'disabled', 'failed'] as const;

/** Evidence of a decision: attribute values and the path through groups, as text. */
export const decisionEvidence = z.record(z.string(), z.string());

const action = z.object({
  user_uuid: z.uuid(),
  email: z.string(),
  ldap_uid: z.string().nullable(),
  reason: z.enum(leaveReasons),
  outcome: z.enum(leaveOutcomes),
  applied: z.boolean(),
  sessions_revoked: z.int().optional(),
  evidence: decisionEvidence,
});
const reconciliation = z.object({
  user_uuid: z.uuid(),
  email: z.string(),
  role_from: z.enum(roles).optional(),
  role_to: z.enum(roles).optional(),
  groups_added: z.array(z.string()),
  groups_removed: z.array(z.string()),
  applied: z.boolean(),
  error: z.string().optional(),
});

/** Report of a sync run (`directory_sync.last_result`). Lists hold at most the first 1,000; the counts are exact. */
export const syncRunReport = z.object({
  pass_uuid: z.uuid(),
  status: z.enum(syncRunStatuses),
  error: z.string().nullable(),
  dry_run: z.boolean(),
  trigger: z.enum(['schedule', 'manual', 'approval']),
  /** Active directory accounts that were checked. */
  checked: z.int(),
  /** Entries returned by the directory. */
  seen: z.int(),
  candidates: z.int(),
  disabled: z.int(),
  /** Of these, accounts that an administrator enabled again by reverting the run. */
  undone: z.int().default(0),
  would_disable: z.int(),
  deferred: z.int(),
  capped: z.boolean(),
  max_disables_per_run: z.int(),
  actions: z.array(action),
  reconciled: z.int(),
  reconciliations: z.array(reconciliation),
  /** Accounts disabled by the directory that are present again; only an administrator enables them. */
  eligible_for_reactivation: z.array(z.object({ user_uuid: z.uuid(), email: z.string() })),
  ldap_requests: z.int(),
  /** How the completeness of the snapshot was proved, step by step. */
  proof: z.array(z.object({ code: z.string(), evidence: z.string() })),
  /** Identifies the exact set of candidates that an approval covers. */
  set_digest: z.string().nullable(),
  /** Time of the approval; null if the set was not approved. */
  approved_at: time.nullable().default(null),
  started_at: time,
  finished_at: time.nullable(),
  duration_s: z.number().nullable(),
});
export type SyncRunReport = z.infer<typeof syncRunReport>;

export const syncRunSummary = syncRunReport.omit({
  actions: true,
  reconciliations: true,
  eligible_for_reactivation: true,
  proof: true,
});
