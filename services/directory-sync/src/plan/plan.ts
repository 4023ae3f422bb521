import { createHash } from 'node:crypto';
import type { MappingIndex, Resolution } from '@overtone/directory';
import {
  decideForPerson,
  findPerson,
  type Account,
  type Change,
  type ChangedAccount,
  type DeprovisioningCandidate,
  type Population,
  type Rules,
} from './decide.ts';

export {
  decide,
  groupsAsText,
  type Account,
  type Change,
  type ChangedAccount,
  type DeprovisioningCandidate,
  type Person,
  type Population,
  type Rules,
} from './decide.ts';

export type Limits = {
  maxDisables: number;
  /** Above this share of the checked accounts the whole set is held, from `smallDirectory` accounts on; null: no limit. */
  maxPercent: number | null;
  /** Exactly these accounts were approved by an administrator: they are disabled without limit, and no others. */
  approved: ReadonlySet<string> | null;
};
/** Changes by an earlier attempt of the same sync run: they count against the limits, and are not decided again. */
export type AppliedBefore = { userIds: ReadonlySet<string>; disabled: number };
export type PlannedCandidate = DeprovisioningCandidate & { outcome: 'disable' | 'deferred' | 'held' };
export type Plan = {
  status: 'ok' | 'held' | 'directory_unavailable';
  error: string | null;
  checked: number;
  /** Accounts whose person is in the directory. */
  known: number;
  candidates: readonly PlannedCandidate[];
  changes: readonly Change[];
  returned: readonly Account[];
  /** Digest of the accounts to disable with reasons and evidence; an approval is bound to it. */
  digest: string | null;
};

/** Below this number of accounts a percentage is too coarse, and `maxDisables` is the only limit: one account of four is 25 %. */
const smallDirectory = 20;

type LimitInput = {
  candidates: readonly DeprovisioningCandidate[];
  checked: number;
  limits: Limits;
  before: AppliedBefore;
};

const nothingAppliedBefore: AppliedBefore = { userIds: new Set(), disabled: 0 };
const nothingPlanned = { candidates: [], changes: [], returned: [], digest: null } as const;

/**
 * Collects the decisions of a sync run page by page, and applies the limits to all of them at the end. With one ambiguous
 * account, or a directory that contains none of the accounts, the sync run makes no decision.
 */
export function createPlan(people: Population, { mappings }: Rules, limits: Limits) {
  const rules: Rules = { mappings: cacheResolutions(mappings) };
  const candidates: DeprovisioningCandidate[] = [];
  const changes: Change[] = [];
  const returned: Account[] = [];
  let checked = 0;
  let known = 0;
  let unreadable: string | undefined;
  return {
    add: (accounts: Iterable<Account>): void => {
      for (const account of accounts) {
        const match = findPerson(account, people);
        if (account.authType === 'ldap' && match.person) known += 1;
        const decision = decideForPerson(account, match, rules);
        if (decision.kind === 'untouched') continue;
        if (decision.kind === 'returned') {
          returned.push(account);
          continue;
        }
        checked += 1;
        if (decision.kind === 'candidate') candidates.push(decision.candidate);
        else if (decision.kind === 'ambiguous') unreadable ??= decision.unreadable;
        else if (decision.change) changes.push(decision.change);
      }
    },
    finish: (before: AppliedBefore = nothingAppliedBefore): Plan => {
      const isNew = ({ account }: { account: ChangedAccount }) => !before.userIds.has(account.userId);
      const remaining = candidates.filter(isNew);
      const total = checked + before.disabled;
      const unavailable = (error: string): Plan => ({
        ...nothingPlanned,
        status: 'directory_unavailable',
        error,
        checked: total,
        known,
      });
      if (unreadable) return unavailable(`The directory does not show ${unreadable}.`);
      if (checked > 0 && known === 0) return unavailable('The directory shows none of the known accounts.');
      const limitInput = { candidates: remaining, checked: total, limits, before };
      const planned = decideOutcomes(limitInput);
      const isHeld = planned.some(({ outcome }) => outcome === 'held');
      return {
        status: isHeld ? 'held' : 'ok',
        error: isHeld && !limits.approved ? heldMessage(limitInput) : null,
        checked: total,
        known,
        candidates: planned,
        changes: changes.filter(isNew),
        returned: returned.filter((account) => isNew({ account })),
        digest: digestOf(remaining),
      };
    },
  };
}

/** Many persons share one list of claims: each list is resolved once. */
function cacheResolutions(mappings: MappingIndex): MappingIndex {
  const known = new WeakMap<readonly string[], Resolution>();
  return {
    ...mappings,
    resolve: (claims) => {
      const resolution = known.get(claims) ?? mappings.resolve(claims);
      known.set(claims, resolution);
      return resolution;
    },
  };
}

function decideOutcomes(limitInput: LimitInput): PlannedCandidate[] {
  const { candidates, limits, before } = limitInput;
  const { approved, maxDisables } = limits;
  if (approved)
    return candidates.map((candidate) => ({
      ...candidate,
      outcome: approved.has(candidate.account.userId) ? 'disable' : 'held',
    }));
  // A clock that jumped ahead would disable every account with an expiry date.
  const held = exceedsLimit(limitInput) || candidates.some(({ doubtful }) => doubtful);
  return [...candidates]
    .sort((x, y) => (x.account.userId < y.account.userId ? -1 : 1))
    .map((candidate, i) => ({
      ...candidate,
      outcome: held ? 'held' : i + before.disabled < maxDisables ? 'disable' : 'deferred',
    }));
}

function heldMessage(limitInput: LimitInput): string {
  const { candidates, checked, limits } = limitInput;
  const doubtful = candidates.filter((candidate) => candidate.doubtful).length;
  const limit = exceedsLimit(limitInput) ? `, and a sync run may disable ${limits.maxPercent} % at most` : '';
  const message = `${candidates.length} of ${checked} accounts would be disabled${limit}.`;
  if (doubtful === 0) return message;
  return `${message} The end dates of ${doubtful} are later than the last verified clock time: approve only if today's date is correct.`;
}

function digestOf(candidates: readonly DeprovisioningCandidate[]): string | null {
  if (candidates.length === 0) return null;
  const facts = candidates
    .map(({ account, reason, evidence }) =>
      JSON.stringify([account.userId, reason, Object.entries(evidence).sort(byName)]),
    )
    .sort();
  return createHash('sha256').update(facts.join('\n')).digest('hex');
}

function exceedsLimit({ candidates, checked, limits: { maxPercent }, before }: LimitInput): boolean {
  if (maxPercent === null || checked < smallDirectory || candidates.length === 0) return false;
  return candidates.length + before.disabled > (checked * maxPercent) / 100;
}

function byName([x]: [string, string], [y]: [string, string]): number {
  return x < y ? -1 : 1;
}
