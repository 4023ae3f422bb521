import { z } from 'zod';
import { roles } from './define.ts';
import { time } from './http.ts';

/** Why an account is disabled by a pass (specification, "States and transitions"). */
export const leaveReasons = ['absent_from_directory', 'disabled_in_directory', 'no_longer_in_required_groups'] as const;
export type LeaveReason = (typeof leaveReasons)[number];

/**
 * What became of a leaver. `deferred`: above the limit of the pass; `held`: waits for approval of the whole set;
 * `replication_pending`: seen after all when asked once more; `changed_meanwhile`: the account is no longer as planned.
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

export const passStatuses = ['running', 'ok', 'held', 'directory_unavailable', 'disabled', 'failed'] as const;

/** What a decision rests on: attribute values and the path through groups, as text. */
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

/** Report of a pass (`directory_sync.last_result`). Lists hold at most the first 1,000; the counts are exact. */
export const passReport = z.object({
  pass_uuid: z.uuid(),
  status: z.enum(passStatuses),
  error: z.string().nullable(),
  dry_run: z.boolean(),
  trigger: z.enum(['schedule', 'manual', 'approval']),
  /** Active directory accounts that were looked at. */
  checked: z.int(),
  /** Entries the directory answered with. */
  seen: z.int(),
  candidates: z.int(),
  disabled: z.int(),
  /** Of these, whom an administrator enabled again by taking the pass back. */
  undone: z.int().default(0),
  would_disable: z.int(),
  deferred: z.int(),
  capped: z.boolean(),
  max_disables_per_run: z.int(),
  actions: z.array(action),
  reconciled: z.int(),
  reconciliations: z.array(reconciliation),
  /** Accounts that the directory had disabled and now holds again; nobody is let in without a person. */
  eligible_for_reactivation: z.array(z.object({ user_uuid: z.uuid(), email: z.string() })),
  ldap_requests: z.int(),
  /** How the completeness of the answer was proved, step by step. */
  proof: z.array(z.object({ code: z.string(), evidence: z.string() })),
  /** Approving a held pass means exactly this set of leavers. */
  set_digest: z.string().nullable(),
  /** When somebody approved the set; nothing is left to approve then. */
  approved_at: time.nullable().default(null),
  started_at: time,
  finished_at: time.nullable(),
  duration_s: z.number().nullable(),
});
export type PassReport = z.infer<typeof passReport>;

export const passSummary = passReport.omit({
  actions: true,
  reconciliations: true,
  eligible_for_reactivation: true,
  proof: true,
});
