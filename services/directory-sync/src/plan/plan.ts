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
  /** A larger share of the checked accounts holds the whole set; null: no such brake. */
  maxPercent: number | null;
  /** An administrator has approved exactly these accounts: they go, without limit; nobody else does. */
  approved: ReadonlySet<string> | null;
};
/** What an earlier try of the same pass has done: it counts against the limits, and is not decided again. */
export type DoneBefore = { userIds: ReadonlySet<string>; disabled: number };
export type PlannedLeaver = Leaver & { outcome: 'disable' | 'deferred' | 'held' };
export type Plan = {
  status: 'ok' | 'held' | 'directory_unavailable';
  error: string | null;
  checked: number;
  /** Accounts whose person the directory showed. */
  known: number;
  leavers: readonly PlannedLeaver[];
  changes: readonly Change[];
  returned: readonly Account[];
  /** Names the set of leavers with their reasons and evidence; what an approval is bound to. */
  digest: string | null;
};

/** Many people have one list of claims: each is resolved once. */
const resolvingOnce = (mappings: MappingIndex): MappingIndex => {
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

type Weighed = { leavers: readonly Leaver[]; checked: number; limits: Limits; before: DoneBefore };
const tooMany = ({ leavers, checked, limits: { maxPercent }, before }: Weighed): boolean =>
  leavers.length > 0 && maxPercent !== null && leavers.length + before.disabled > (checked * maxPercent) / 100;

const outcomesOf = (weighed: Weighed): PlannedLeaver[] => {
  const { leavers, limits, before } = weighed;
  const { approved, maxDisables } = limits;
  if (approved) return leavers.map((l) => ({ ...l, outcome: approved.has(l.account.userId) ? 'disable' : 'held' }));
  // A clock that has jumped makes leavers of whoever has an end date.
  const held = tooMany(weighed) || leavers.some((l) => l.doubtful);
  return [...leavers]
    .sort((a, b) => (a.account.userId < b.account.userId ? -1 : 1))
    .map((l, i) => ({ ...l, outcome: held ? 'held' : i + before.disabled < maxDisables ? 'disable' : 'deferred' }));
};

const heldWords = (weighed: Weighed): string => {
  const { leavers, checked, limits } = weighed;
  const doubtful = leavers.filter((l) => l.doubtful).length;
  const limit = tooMany(weighed) ? `, and a pass may disable ${limits.maxPercent} % at most` : '';
  const words = `${leavers.length} of ${checked} accounts would be disabled${limit}.`;
  if (doubtful === 0) return words;
  return `${words} The end dates of ${doubtful} came after the clock was last known to be right: approve only if today's date is.`;
};

const nobodyBefore: DoneBefore = { userIds: new Set(), disabled: 0 };
const nothingPlanned = { leavers: [], changes: [], returned: [], digest: null } as const;

/**
 * Collects the decisions of a pass, page of accounts after page, and weighs them as a whole at the end. One ambiguous
 * account, or a directory that knows nobody of ours, and the pass says nothing about anybody.
 */
export const createPlan = (people: Population, given: Rules, limits: Limits) => {
  const rules: Rules = { mappings: resolvingOnce(given.mappings) };
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
    finish: (before: DoneBefore = nobodyBefore): Plan => {
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
      const weighed = { leavers: going, checked: all, limits, before };
      const planned = outcomesOf(weighed);
      const held = planned.some((l) => l.outcome === 'held');
      return {
        status: held ? 'held' : 'ok',
        error: held && !limits.approved ? heldWords(weighed) : null,
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
