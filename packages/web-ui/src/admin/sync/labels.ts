import type { ResponseBody } from '../../api/routes.ts';
import { plural } from '../../lib/format.ts';
import type { ColoredLabel } from '../../ui/account-labels.ts';

export type Report = ResponseBody<'GET /api/admin/directory-sync/passes/{uuid}'>;
export type Status = ResponseBody<'GET /api/admin/directory-sync/status'>;
export type Summary = ResponseBody<'GET /api/admin/directory-sync/passes'>['items'][number];
/** A deprovisioning candidate: an account that the run disabled, would disable, or left for later. */
export type Candidate = Report['actions'][number];

export const reasonTexts: Record<Candidate['reason'], string> = {
  absent_from_directory: 'No longer in the directory',
  disabled_in_directory: 'Disabled or expired in the directory',
  no_longer_in_required_groups: 'Not in any required group',
};

export const outcomeLabels: Record<Candidate['outcome'], ColoredLabel> = {
  disabled: { label: 'disabled', color: 'red' },
  would_disable: { label: 'would be disabled', color: 'yellow' },
  deferred: { label: 'left for the next run', color: 'yellow' },
  held: { label: 'held for approval', color: 'yellow' },
  replication_pending: { label: 'found by the recheck', color: 'gray' },
  changed_meanwhile: { label: 'changed during the run', color: 'gray' },
  undone: { label: 'enabled again', color: 'petrol' },
};

const statusLabels: Record<Report['status'], ColoredLabel> = {
  running: { label: 'running', color: 'petrol' },
  ok: { label: 'done', color: 'petrol' },
  held: { label: 'held', color: 'yellow' },
  directory_unavailable: { label: 'interrupted', color: 'red' },
  disabled: { label: 'switched off', color: 'gray' },
  failed: { label: 'failed', color: 'red' },
};

type ApprovalState = Pick<Summary, 'status' | 'approved_at'>;
/** True while a held set waits for the approval of an administrator. */
export function awaitsApproval(run: ApprovalState): boolean {
  return run.status === 'held' && run.approved_at === null;
}

export function statusLabelOf(run: ApprovalState): ColoredLabel {
  return run.status === 'held' && !awaitsApproval(run)
    ? { label: 'approved', color: 'petrol' }
    : statusLabels[run.status];
}

export const phaseTexts: Record<NonNullable<Status['running']>['phase'], string> = {
  snapshot: 'Reading the directory',
  plan: 'Comparing accounts',
  witness: 'Rechecking accounts to be disabled',
  apply: 'Applying changes',
};

/** The result of a run in one or two sentences. */
export function summaryOf(run: Counts): string {
  if (run.status === 'directory_unavailable') return interruptedText(run);
  if (run.status === 'held') return heldText(run);
  if (run.status === 'disabled' || run.status === 'failed') return run.error ?? '';
  const changed = run.reconciled > 0 ? ` Roles or groups of ${accounts(run.reconciled)} changed.` : '';
  if (run.candidates === 0) return `All accounts found (${run.checked.toLocaleString()}).${changed}`;
  const deferred = run.deferred > 0 ? ` ${accounts(run.deferred)} left for the next run.` : '';
  return run.dry_run
    ? `${accounts(run.would_disable)} would be disabled.${deferred}`
    : `${accounts(run.disabled)} disabled.${undoneText(run)}${deferred}${changed}`;
}

type Counts = Omit<
  Summary,
  'pass_uuid' | 'trigger' | 'seen' | 'capped' | 'max_disables_per_run' | 'ldap_requests' | 'set_digest' | Times
>;
type Times = 'started_at' | 'finished_at' | 'duration_s';

function accounts(count: number): string {
  return plural(count, 'account');
}

function undoneText({ disabled, undone }: Counts): string {
  if (undone === 0) return '';
  return undone === disabled ? ' Undone: all enabled again.' : ` ${undone.toLocaleString()} enabled again since.`;
}

/** An earlier attempt of the same run may have disabled accounts before the directory became unavailable. */
function interruptedText(run: Counts): string {
  const result = run.disabled === 0 ? 'No accounts were disabled.' : `${accounts(run.disabled)} were disabled before.`;
  return `The directory couldn’t be read completely. ${result}${undoneText(run)} ${run.error ?? ''}`.trim();
}

function heldText(run: Counts): string {
  const result =
    run.disabled > 0
      ? `${accounts(run.disabled)} disabled.${undoneText(run)} More accounts have left since.`
      : (run.error ?? `${accounts(run.candidates)} would be disabled.`);
  return awaitsApproval(run) ? `${result} The whole set is awaiting approval.` : `${result} The set was approved.`;
}

/** The number of accounts of a held set that are not disabled yet. */
export function remainingOf(run: Pick<Summary, 'candidates' | 'disabled'>): number {
  return run.candidates - run.disabled;
}

const evidenceNames: Readonly<Record<string, string>> = {
  directory_id: 'searched by',
  login_now_belongs_to: 'login now belongs to',
  ldap_uid: 'searched by login',
  state: 'state',
  dn: 'entry',
  groups: 'relevant groups',
  role: 'current role',
  into: 'added to',
  out_of: 'removed from',
};
/** The evidence of a decision as one line. */
export function evidenceText(evidence: Readonly<Record<string, string>>): string {
  return Object.entries(evidence)
    .map(([key, value]) => `${evidenceNames[key] ?? key.replaceAll('_', ' ')}: ${value}`)
    .join(' · ');
}

const verificationNames: Readonly<Record<string, string>> = {
  peer: 'Server',
  bind: 'Bound as',
  clock: 'Clock',
  base: 'Search base',
  groups: 'Groups',
  pages: 'Pages',
  people: 'People',
  attributes: 'Attributes',
  known: 'Known accounts',
};
/** The name of a step that verified that the directory was read completely. */
export function verificationName(code: string): string {
  return verificationNames[code] ?? code;
}
