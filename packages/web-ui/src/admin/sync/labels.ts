import { msg, plural, t } from '@lingui/core/macro';
import type { ResponseBody } from '@overtone/client';
import { formatNumber } from '../../lib/format.ts';
import { translateOnRead } from '../../lib/language.ts';
import type { ColoredLabel } from '../../ui/account-labels.ts';

export type Report = ResponseBody<'GET /api/admin/directory-sync/passes/{uuid}'>;
export type Status = ResponseBody<'GET /api/admin/directory-sync/status'>;
export type Summary = ResponseBody<'GET /api/admin/directory-sync/passes'>['items'][number];
/** A deprovisioning candidate: an account that the run disabled, would disable, or left for later. */
export type Candidate = Report['actions'][number];

export const reasonTexts: Record<Candidate['reason'], string> = translateOnRead({
  absent_from_directory: msg`No longer in the directory`,
  disabled_in_directory: msg`Disabled or expired in the directory`,
  no_longer_in_required_groups: msg`Not in any required group`,
});

export const outcomeLabels: Record<Candidate['outcome'], ColoredLabel> = translateOnRead({
  disabled: { label: msg`disabled`, color: 'red' },
  would_disable: { label: msg`would be disabled`, color: 'yellow' },
  deferred: { label: msg`left for the next run`, color: 'yellow' },
  held: { label: msg`held for approval`, color: 'yellow' },
  replication_pending: { label: msg`found by the recheck`, color: 'gray' },
  changed_meanwhile: { label: msg`changed during the run`, color: 'gray' },
  undone: { label: msg`enabled again`, color: 'petrol' },
});

const statusLabels: Record<Report['status'], ColoredLabel> = translateOnRead({
  running: { label: msg`running`, color: 'petrol' },
  ok: { label: msg`done`, color: 'petrol' },
  held: { label: msg`held`, color: 'yellow' },
  directory_unavailable: { label: msg`interrupted`, color: 'red' },
  disabled: { label: msg`switched off`, color: 'gray' },
  failed: { label: msg`failed`, color: 'red' },
});

type ApprovalState = Pick<Summary, 'status' | 'approved_at'>;
/** True while a held set waits for the approval of an administrator. */
export function awaitsApproval(run: ApprovalState): boolean {
  return run.status === 'held' && run.approved_at === null;
}

export function statusLabelOf(run: ApprovalState): ColoredLabel {
  return run.status === 'held' && !awaitsApproval(run)
    ? { label: t`approved`, color: 'petrol' }
    : statusLabels[run.status];
}

export const phaseTexts: Record<NonNullable<Status['running']>['phase'], string> = translateOnRead({
  snapshot: msg`Reading the directory`,
  plan: msg`Comparing accounts`,
  witness: msg`Rechecking accounts to be disabled`,
  apply: msg`Applying changes`,
});

/** The result of a run in one or two sentences. */
export function summaryOf(run: Counts): string {
  if (run.status === 'directory_unavailable') return interruptedText(run);
  if (run.status === 'held') return heldText(run);
  if (run.status === 'disabled' || run.status === 'failed') return run.error ?? '';
  const changed =
    run.reconciled > 0
      ? plural(run.reconciled, {
          one: 'Roles or groups of # account changed.',
          other: 'Roles or groups of # accounts changed.',
        })
      : '';
  if (run.candidates === 0) return sentences(t`All accounts found (${formatNumber(run.checked)}).`, changed);
  const deferred =
    run.deferred > 0
      ? plural(run.deferred, {
          one: '# account left for the next run.',
          other: '# accounts left for the next run.',
        })
      : '';
  return run.dry_run
    ? sentences(wouldBeDisabledText(run.would_disable), deferred)
    : sentences(disabledText(run.disabled), undoneText(run), deferred, changed);
}

type Counts = Omit<
  Summary,
  'pass_uuid' | 'trigger' | 'seen' | 'capped' | 'max_disables_per_run' | 'ldap_requests' | 'set_digest' | Times
>;
type Times = 'started_at' | 'finished_at' | 'duration_s';

function sentences(...all: string[]): string {
  return all.filter(Boolean).join(' ');
}

function wouldBeDisabledText(count: number): string {
  return plural(count, { one: '# account would be disabled.', other: '# accounts would be disabled.' });
}

function disabledText(count: number): string {
  return plural(count, { one: '# account disabled.', other: '# accounts disabled.' });
}

function undoneText({ disabled, undone }: Counts): string {
  if (undone === 0) return '';
  return undone === disabled ? t`Undone: all enabled again.` : t`${formatNumber(undone)} enabled again since.`;
}

/** An earlier attempt of the same run may have disabled accounts before the directory became unavailable. */
function interruptedText(run: Counts): string {
  const result =
    run.disabled === 0
      ? t`No accounts were disabled.`
      : plural(run.disabled, { one: '# account was disabled before.', other: '# accounts were disabled before.' });
  return sentences(t`The directory couldn’t be read completely.`, result, undoneText(run), run.error ?? '');
}

function heldText(run: Counts): string {
  const result =
    run.disabled > 0
      ? sentences(disabledText(run.disabled), undoneText(run), t`More accounts have left since.`)
      : (run.error ?? wouldBeDisabledText(run.candidates));
  return sentences(result, awaitsApproval(run) ? t`The whole set is awaiting approval.` : t`The set was approved.`);
}

/** The number of accounts of a held set that are not disabled yet. */
export function remainingOf(run: Pick<Summary, 'candidates' | 'disabled'>): number {
  return run.candidates - run.disabled;
}

const evidenceNames: Readonly<Record<string, string>> = translateOnRead({
  directory_id: msg`searched by`,
  login_now_belongs_to: msg`login now belongs to`,
  ldap_uid: msg`searched by login`,
  state: msg`state`,
  dn: msg`entry`,
  groups: msg`relevant groups`,
  role: msg`current role`,
  into: msg`added to`,
  out_of: msg`removed from`,
});
/** The evidence of a decision as one line. */
export function evidenceText(evidence: Readonly<Record<string, string>>): string {
  return Object.entries(evidence)
    .map(([key, value]) => `${evidenceNames[key] ?? key.replaceAll('_', ' ')}: ${value}`)
    .join(' · ');
}

const verificationNames: Readonly<Record<string, string>> = translateOnRead({
  peer: msg`Server`,
  bind: msg`Bound as`,
  clock: msg`Clock`,
  base: msg`Search base`,
  groups: msg`Groups`,
  pages: msg`Pages`,
  people: msg`People`,
  attributes: msg`Attributes`,
  known: msg`Known accounts`,
});
/** The name of a step that verified that the directory was read completely. */
export function verificationName(code: string): string {
  return verificationNames[code] ?? code;
}
