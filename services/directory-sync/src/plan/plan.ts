import { createHash } from 'node:crypto';
import type { MappingIndex, Resolution } from '@overtone/directory';
import {
  decideOn,
  personOf,
  type Account,
  type Change,
  type Changed,
  type Leaver,
  type Population,
  type Rules,
} from './decide.ts';

export {
  decide,
  groupWords,
  type Account,
  type Change,
  type Changed,
  type Leaver,
  type Person,
  type Population,
  type Rules,
} from './decide.ts';

export type Limits = {
  maxDisables: number;
  /** Above this share of the checked accounts the whole set is held, see `percentAllowed`; null: no limit. */
  maxPercent: number | null;
  /** Exactly these accounts were approved by an administrator: they are disabled without limit, and no others. */
  approved: ReadonlySet<string> | null;
};
/** Changes by an earlier attempt of the same pass: they count against the limits, and are not decided again. */
export type DoneBefore = { userIds: ReadonlySet<string>; disabled: number };
export type PlannedLeaver = Leaver & { outcome: 'disable' | 'deferred' | 'held' };
export type Plan = {
  status: 'ok' | 'held' | 'directory_unavailable';
  error: string | null;
  checked: number;
  /** Accounts whose person is in the directory. */
  known: number;
  leavers: readonly PlannedLeaver[];
  changes: readonly Change[];
  returned: readonly Account[];
  /** Digest of the accounts to disable with reasons and evidence; an approval is bound to it. */
  digest: string | null;
};

/** Many persons share one list of claims: each list is resolved once. */
const cacheResolutions = (mappings: MappingIndex): MappingIndex => {
  const known = new WeakMap<readonly string[], Resolution>();
  return {
    ...mappings,
    resolve: (claims) => {
      const resolution = known.get(claims) ?? mappings.resolve(claims);
      known.set(claims, resolution);
      return resolution;
    },
  };
};

const digestOf = (leavers: readonly Leaver[]): string | null => {
  if (leavers.length === 0) return null;
  const facts = leavers
    .map((l) => JSON.stringify([l.account.userId, l.reason, Object.entries(l.evidence).sort(byName)]))
    .sort();
  return createHash('sha256').update(facts.join('\n')).digest('hex');
};
const byName = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : 1);

/** Below this number of accounts a percentage is too coarse: one account of four is 25 %. */
const smallDirectory = 20;
const smallPercent = 50;

/** The share of the accounts that a run may disable: in a small directory, half of them or more. */
const percentAllowed = (checked: number, maxPercent: number): number =>
  checked < smallDirectory ? Math.max(maxPercent, smallPercent) : maxPercent;

type LimitInput = { leavers: readonly Leaver[]; checked: number; limits: Limits; before: DoneBefore };
const tooMany = ({ leavers, checked, limits: { maxPercent }, before }: LimitInput): boolean => {
  if (maxPercent === null || leavers.length === 0) return false;
  const disabled = leavers.length + before.disabled;
  if (disabled === 1 && checked < smallDirectory) return false;
  return disabled > (checked * percentAllowed(checked, maxPercent)) / 100;
};

const outcomesOf = (limitInput: LimitInput): PlannedLeaver[] => {
  const { leavers, limits, before } = limitInput;
  const { approved, maxDisables } = limits;
  if (approved) return leavers.map((l) => ({ ...l, outcome: approved.has(l.account.userId) ? 'disable' : 'held' }));
  // A clock that jumped ahead would disable every account with an expiry date.
  const held = tooMany(limitInput) || leavers.some((l) => l.doubtful);
  return [...leavers]
    .sort((a, b) => (a.account.userId < b.account.userId ? -1 : 1))
    .map((l, i) => ({ ...l, outcome: held ? 'held' : i + before.disabled < maxDisables ? 'disable' : 'deferred' }));
};

const heldWords = (limitInput: LimitInput): string => {
  const { leavers, checked, limits } = limitInput;
  const doubtful = leavers.filter((l) => l.doubtful).length;
  const percent = percentAllowed(checked, limits.maxPercent ?? 100);
  const limit = tooMany(limitInput) ? `, and a pass may disable ${percent} % at most` : '';
  const words = `${leavers.length} of ${checked} accounts would be disabled${limit}.`;
  if (doubtful === 0) return words;
  return `${words} The end dates of ${doubtful} came after the clock was last known to be right: approve only if today's date is.`;
};

const nothingDoneBefore: DoneBefore = { userIds: new Set(), disabled: 0 };
const nothingPlanned = { leavers: [], changes: [], returned: [], digest: null } as const;

/**
 * Collects the decisions of a pass page by page, and applies the limits to all of them at the end. With one ambiguous
 * account, or a directory that contains none of the accounts, the pass makes no decision.
 */
export const createPlan = (people: Population, given: Rules, limits: Limits) => {
  const rules: Rules = { mappings: cacheResolutions(given.mappings) };
  const leavers: Leaver[] = [];
  const changes: Change[] = [];
  const returned: Account[] = [];
  let checked = 0;
  let known = 0;
  let ambiguous: string | undefined;
  return {
    add: (accounts: Iterable<Account>): void => {
      for (const account of accounts) {
        const found = personOf(account, people);
        if (account.authType === 'ldap' && found.person) known += 1;
        const decision = decideOn(account, found, rules);
        if (decision.kind === 'untouched') continue;
        if (decision.kind === 'returned') {
          returned.push(account);
          continue;
        }
        checked += 1;
        if (decision.kind === 'leaver') leavers.push(decision.leaver);
        else if (decision.kind === 'ambiguous') ambiguous ??= decision.why;
        else if (decision.change) changes.push(decision.change);
      }
    },
    finish: (before: DoneBefore = nothingDoneBefore): Plan => {
      const isNew = ({ account }: { account: Changed }) => !before.userIds.has(account.userId);
      const going = leavers.filter(isNew);
      const all = checked + before.disabled;
      const unavailable = (error: string): Plan => ({
        ...nothingPlanned,
        status: 'directory_unavailable',
        error,
        checked: all,
        known,
      });
      if (ambiguous) return unavailable(`The directory does not show ${ambiguous}.`);
      if (checked > 0 && known === 0) return unavailable('The directory shows none of the known accounts.');
      const limitInput = { leavers: going, checked: all, limits, before };
      const planned = outcomesOf(limitInput);
      const held = planned.some((l) => l.outcome === 'held');
      return {
        status: held ? 'held' : 'ok',
        error: held && !limits.approved ? heldWords(limitInput) : null,
        checked: all,
        known,
        leavers: planned,
        changes: changes.filter(isNew),
        returned: returned.filter((account) => isNew({ account })),
        digest: digestOf(going),
      };
    },
  };
};
