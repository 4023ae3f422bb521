import { decide, type Person, type Plan, type PlannedLeaver, type Rules } from '../plan/plan.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { LeaverResult } from './report.ts';

type RecheckOptions = {
  dryRun: boolean;
  snapshot: Snapshot;
  rules: Rules;
  onNext: (done: number, total: number) => void;
};

/** Whether the recheck gives the same decision with the same reason. */
const isConfirmed = (leaver: PlannedLeaver, person: Person | null, rules: Rules): boolean => {
  const people = {
    byId: (id: string) => (person && person.id === id ? person : undefined),
    byLogin: () => person ?? undefined,
  };
  const again = decide(leaver.account, people, rules);
  return again.kind === 'leaver' && again.leaver.reason === leaver.reason;
};

const isToDisable = ({ outcome }: PlannedLeaver): boolean => outcome === 'disable';

/** Rechecks every account that is to be disabled now; if one request fails, no account is disabled. */
export const witness = async ({ leavers }: Plan, options: RecheckOptions): Promise<LeaverResult[]> => {
  const { dryRun, snapshot, rules, onNext } = options;
  const planned = { disable: dryRun ? 'would_disable' : 'disabled', deferred: 'deferred', held: 'held' } as const;
  const going = leavers.filter(isToDisable);
  const confirmed = new Set<PlannedLeaver>();
  let checked = 0;
  onNext(0, going.length);
  for await (const person of going.length > 0 ? snapshot.recheck(going.map((l) => l.account)) : []) {
    const leaver = going[checked];
    if (leaver && isConfirmed(leaver, person, rules)) confirmed.add(leaver);
    onNext((checked += 1), going.length);
  }
  return leavers.map((leaver) => {
    const stays = isToDisable(leaver) && !confirmed.has(leaver);
    return { leaver, outcome: stays ? 'replication_pending' : planned[leaver.outcome] };
  });
};
