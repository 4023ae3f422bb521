import { decide, type Person, type Plan, type PlannedCandidate, type Rules } from '../plan/plan.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { CandidateResult } from './report.ts';

type RecheckOptions = {
  dryRun: boolean;
  snapshot: Snapshot;
  rules: Rules;
  onProgress: (done: number, total: number) => void;
};

/**
 * Reads every account that is to be disabled now from the directory again, and keeps those that the recheck does not
 * confirm. If one request fails, no account is disabled.
 */
export async function recheckCandidates({ candidates }: Plan, options: RecheckOptions): Promise<CandidateResult[]> {
  const { dryRun, snapshot, rules, onProgress } = options;
  const outcomes = { disable: dryRun ? 'would_disable' : 'disabled', deferred: 'deferred', held: 'held' } as const;
  const toDisable = candidates.filter(isToDisable);
  const confirmed = new Set<PlannedCandidate>();
  let checked = 0;
  onProgress(0, toDisable.length);
  const accounts = toDisable.map(({ account }) => account);
  for await (const person of accounts.length > 0 ? snapshot.recheck(accounts) : []) {
    const candidate = toDisable[checked];
    if (candidate && isConfirmed(candidate, person, rules)) confirmed.add(candidate);
    onProgress((checked += 1), toDisable.length);
  }
  return candidates.map((candidate) => {
    const isUnconfirmed = isToDisable(candidate) && !confirmed.has(candidate);
    return { candidate, outcome: isUnconfirmed ? 'replication_pending' : outcomes[candidate.outcome] };
  });
}

function isToDisable({ outcome }: PlannedCandidate): boolean {
  return outcome === 'disable';
}

/** Whether the recheck gives the same decision with the same reason. */
function isConfirmed(candidate: PlannedCandidate, person: Person | null, rules: Rules): boolean {
  const people = {
    byId: (id: string) => (person && person.id === id ? person : undefined),
    byLogin: () => person ?? undefined,
  };
  const decision = decide(candidate.account, people, rules);
  return decision.kind === 'candidate' && decision.candidate.reason === candidate.reason;
}
