import { decide, type Person, type Plan, type PlannedLeaver, type Rules } from '../plan/plan.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { LeaverResult } from './report.ts';

type Looking = { dryRun: boolean; snapshot: Snapshot; rules: Rules; onNext: (done: number, total: number) => void };

/** Whether a leaver is one at the second look, too. */
const stillLeaves = (leaver: PlannedLeaver, person: Person | null, rules: Rules): boolean => {
  const people = {
    byId: (id: string) => (person && person.id === id ? person : undefined),
    byLogin: () => person ?? undefined,
  };
  const again = decide(leaver.account, people, rules);
  return again.kind === 'leaver' && again.leaver.reason === leaver.reason;
};

const reached = ({ outcome }: PlannedLeaver): boolean => outcome === 'disable';

/** The second look at everybody who is to be disabled now; one unanswered question, and nobody is. */
export const witness = async ({ leavers }: Plan, looking: Looking): Promise<LeaverResult[]> => {
  const { dryRun, snapshot, rules, onNext } = looking;
  const planned = { disable: dryRun ? 'would_disable' : 'disabled', deferred: 'deferred', held: 'held' } as const;
  const going = leavers.filter(reached);
  const gone = new Set<PlannedLeaver>();
  let looked = 0;
  onNext(0, going.length);
  for await (const person of going.length > 0 ? snapshot.askAgain(going.map((l) => l.account)) : []) {
    const leaver = going[looked];
    if (leaver && stillLeaves(leaver, person, rules)) gone.add(leaver);
    onNext((looked += 1), going.length);
  }
  return leavers.map((leaver) => {
    const stays = reached(leaver) && !gone.has(leaver);
    return { leaver, outcome: stays ? 'replication_pending' : planned[leaver.outcome] };
  });
};
