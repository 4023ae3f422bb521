import { decide, type Plan, type PlannedLeaver, type Rules } from '../plan/plan.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { LeaverResult } from './report.ts';

type Looking = { dryRun: boolean; snapshot: Snapshot; rules: Rules; onNext: (done: number, total: number) => void };

/** Whether a leaver is one at the second look, too. */
const stillLeaves = async (leaver: PlannedLeaver, { snapshot, rules }: Looking): Promise<boolean> => {
  const person = await snapshot.askAgain(leaver.account);
  const people = {
    byId: (id: string) => (person && person.id === id ? person : undefined),
    byLogin: () => person ?? undefined,
  };
  const again = decide(leaver.account, people, rules);
  return again.kind === 'leaver' && again.leaver.reason === leaver.reason;
};

/** The second look at everybody who is to be disabled now; one unanswered question, and nobody is. */
export const witness = async ({ leavers }: Plan, looking: Looking): Promise<LeaverResult[]> => {
  const planned = {
    disable: looking.dryRun ? 'would_disable' : 'disabled',
    deferred: 'deferred',
    held: 'held',
  } as const;
  const results: LeaverResult[] = [];
  for (const leaver of leavers) {
    looking.onNext(results.length, leavers.length);
    const gone = leaver.outcome !== 'disable' || (await stillLeaves(leaver, looking));
    results.push({ leaver, outcome: gone ? planned[leaver.outcome] : 'replication_pending' });
  }
  return results;
};
