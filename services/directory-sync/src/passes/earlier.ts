import { sweepRpc, type ReplyOf } from '@overtone/contracts';
import { askAll, type Bus } from '@overtone/service-kit';
import type { DoneBefore } from '../plan/plan.ts';
import type { Results } from './report.ts';

type Done = ReplyOf<typeof sweepRpc.done>['done'][number];

const atOnce = 2_000;

const accountOf = ({ userId, email, login, role }: Done) => ({ userId, email, login, role: role?.from ?? 'user' });

/**
 * What a pass that was broken off has done: identity's audit knows, because it stands or falls with each change. Nothing
 * that the dead process would have had to write down is needed.
 */
export const doneBy = async (bus: Pick<Bus, 'ask'>, passId: string, since: Date): Promise<Results> => {
  const results: Results = { leavers: [], changes: [] };
  const page = async (after: string | null) => {
    const { done } = await bus.ask(sweepRpc.done, { passId, since: since.toISOString(), after, limit: atOnce });
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

/** What the plan has to know of it. */
export const beforeOf = ({ leavers, changes }: Results): DoneBefore => ({
  userIds: new Set([...leavers.map((l) => l.leaver), ...changes.map((c) => c.change)].map((w) => w.account.userId)),
  disabled: leavers.length,
});

export const together = (a: Results, b: Results): Results => ({
  leavers: [...a.leavers, ...b.leavers],
  changes: [...a.changes, ...b.changes],
});
