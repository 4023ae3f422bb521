import type { SweepAnswer } from '../../api/sweep.ts';
import { plural } from '../../lib/format.ts';

export type Report = SweepAnswer<'pass'>;
export type Status = SweepAnswer<'directorySyncStatus'>;
export type Summary = SweepAnswer<'passes'>['items'][number];
export type Leaver = Report['actions'][number];

export const reasonWords: Record<Leaver['reason'], string> = {
  absent_from_directory: 'is no longer in the directory',
  disabled_in_directory: 'is disabled or expired in the directory',
  no_longer_in_required_groups: 'is in none of the required groups',
};

type Said = { readonly words: string; readonly color: 'petrol' | 'red' | 'yellow' | 'gray' };

export const outcomeWords: Record<Leaver['outcome'], Said> = {
  disabled: { words: 'disabled', color: 'red' },
  would_disable: { words: 'would be disabled', color: 'yellow' },
  deferred: { words: 'left for the next pass', color: 'yellow' },
  held: { words: 'held for approval', color: 'yellow' },
  replication_pending: { words: 'seen at the second look', color: 'gray' },
  changed_meanwhile: { words: 'changed meanwhile', color: 'gray' },
  undone: { words: 'enabled again', color: 'petrol' },
};

const statusWords: Record<Report['status'], Said> = {
  running: { words: 'running', color: 'petrol' },
  ok: { words: 'done', color: 'petrol' },
  held: { words: 'held', color: 'yellow' },
  directory_unavailable: { words: 'broken off', color: 'red' },
  disabled: { words: 'switched off', color: 'gray' },
  failed: { words: 'failed', color: 'red' },
};

type Stated = Pick<Summary, 'status' | 'approved_at'>;
/** Nothing was approved yet, and something can be. */
export const awaitsApproval = (r: Stated): boolean => r.status === 'held' && r.approved_at === null;
/** How a pass ended, in a word. */
export const stateOf = (r: Stated): Said =>
  r.status === 'held' && !awaitsApproval(r) ? { words: 'approved', color: 'petrol' } : statusWords[r.status];

export const phaseWords: Record<NonNullable<Status['running']>['phase'], string> = {
  snapshot: 'Reading the directory',
  plan: 'Comparing accounts',
  witness: 'Looking again at everybody who is to be disabled',
  apply: 'Applying',
};

/** What a pass came to, in one sentence. */
export const summaryOf = (r: Counts): string => {
  if (r.status === 'directory_unavailable') return unread(r);
  if (r.status === 'held') return heldWords(r);
  if (r.status === 'disabled' || r.status === 'failed') return r.error ?? '';
  const changed = r.reconciled > 0 ? ` Roles or groups of ${accounts(r.reconciled)} changed.` : '';
  if (r.candidates === 0) return `All of ${accounts(r.checked)} are still in the directory.${changed}`;
  const left = r.deferred > 0 ? ` ${accounts(r.deferred)} left for the next pass.` : '';
  return r.dry_run
    ? `${accounts(r.would_disable)} would be disabled.${left}`
    : `${accounts(r.disabled)} disabled.${backWords(r)}${left}${changed}`;
};
type Counts = Omit<
  Summary,
  'pass_uuid' | 'trigger' | 'seen' | 'capped' | 'max_disables_per_run' | 'ldap_requests' | 'set_digest' | Times
>;
type Times = 'started_at' | 'finished_at' | 'duration_s';
const accounts = (n: number): string => plural(n, 'account');
const backWords = ({ disabled, undone }: Counts): string => {
  if (undone === 0) return '';
  return undone === disabled
    ? ' Taken back since: all enabled again.'
    : ` ${undone.toLocaleString()} enabled again since.`;
};
/** An earlier try of the same pass may have got further. */
const unread = (r: Counts): string => {
  const done = r.disabled === 0 ? 'so nobody was disabled' : `after ${accounts(r.disabled)} had been disabled`;
  return `The directory could not be read whole, ${done}.${backWords(r)} ${r.error ?? ''}`.trim();
};
const heldWords = (r: Counts): string => {
  const what =
    r.disabled > 0
      ? `${accounts(r.disabled)} disabled.${backWords(r)} Others have left meanwhile.`
      : (r.error ?? `${accounts(r.candidates)} would be disabled.`);
  return awaitsApproval(r) ? `${what} The whole set waits for approval.` : `${what} The set was approved.`;
};
/** How many of a held set are still to be disabled. */
export const waitingIn = (r: Pick<Summary, 'candidates' | 'disabled'>): number => r.candidates - r.disabled;

const evidenceNames: Readonly<Record<string, string>> = {
  directory_id: 'looked for by',
  login_now_belongs_to: 'login now belongs to',
  ldap_uid: 'looked for by login',
  state: 'state',
  dn: 'entry',
  groups: 'groups that count',
  role: 'role now',
  into: 'into',
  out_of: 'out of',
};
/** What a decision rests on, readable. */
export const evidenceOf = (evidence: Readonly<Record<string, string>>): string =>
  Object.entries(evidence)
    .map(([key, value]) => `${evidenceNames[key] ?? key.replaceAll('_', ' ')}: ${value}`)
    .join(' · ');

const proofNames: Readonly<Record<string, string>> = {
  peer: 'Server',
  bind: 'Asked as',
  clock: 'Clock',
  base: 'Search base',
  groups: 'Groups',
  pages: 'Pages',
  people: 'People',
  attributes: 'Attributes',
  known: 'Known accounts',
};
/** What a step of the proof is about. */
export const proofWords = (code: string): string => proofNames[code] ?? code;
