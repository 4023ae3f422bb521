import { sweepRpc, type ReplyOf } from '@overtone/contracts';
import { askAll, type Bus } from '@overtone/service-kit';
import type { DoneBefore } from '../plan/plan.ts';
import type { Results } from './report.ts';

type Done = ReplyOf<typeof sweepRpc.done>['done'][number];

const pageSize = 2_000;

const accountOf = ({ userId, email, login, role }: Done) => ({ userId, email, login, role: role?.from ?? 'user' });

/**
 * The changes of an interrupted pass, from identity's audit log, which is written in the transaction of each change.
 * The crashed process needs no record of its own.
 */
export const doneBy = async (bus: Pick<Bus, 'ask'>, passId: string, since: Date): Promise<Results> => {
  const results: Results = { leavers: [], changes: [] };
  const page = async (after: string | null) => {
    const { done } = await bus.ask(sweepRpc.done, { passId, since: since.toISOString(), after, limit: pageSize });
    return done;
  };
  for await (const done of askAll(page, (d) => d.userId)) {
    const account = accountOf(done);
    const { disabled, role, added, removed, adopted } = done;
    if (disabled) {
      const { reason, evidence, sessionsRevoked } = disabled;
      results.leavers.push({ leaver: { account, reason, evidence }, outcome: 'disabled', sessionsRevoked });
    } else {
      const change = { account, role: role?.to ?? null, add: added, remove: removed, adopt: adopted };
      results.changes.push({ change, applied: true });
    }
  }
  return results;
};

export const noResults: Results = { leavers: [], changes: [] };

/** The part of the results that the plan needs. */
export const beforeOf = ({ leavers, changes }: Results): DoneBefore => ({
  userIds: new Set([...leavers.map((l) => l.leaver), ...changes.map((c) => c.change)].map((w) => w.account.userId)),
  disabled: leavers.length,
});

export const together = (a: Results, b: Results): Results => ({
  leavers: [...a.leavers, ...b.leavers],
  changes: [...a.changes, ...b.changes],
});
