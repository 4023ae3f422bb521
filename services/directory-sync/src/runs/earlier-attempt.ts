import { directorySyncRpc, type ReplyOf } from '@overtone/contracts';
import { askAll, type Bus } from '@overtone/service-kit';
import type { AppliedBefore } from '../plan/plan.ts';
import type { Results } from './report.ts';

type AppliedChange = ReplyOf<typeof directorySyncRpc.done>['done'][number];

const pageSize = 2_000;

/**
 * The changes of an interrupted sync run, from identity's audit log, which is written in the transaction of each change.
 * The crashed process needs no record of its own.
 */
export async function readAppliedChanges(bus: Pick<Bus, 'request'>, passId: string, since: Date): Promise<Results> {
  const results: Results = { candidates: [], changes: [] };
  const readPage = async (after: string | null) => {
    const { done } = await bus.request(directorySyncRpc.done, {
      passId,
      since: since.toISOString(),
      after,
      limit: pageSize,
    });
    return done;
  };
  for await (const appliedChange of askAll(readPage, ({ userId }) => userId)) {
    const account = accountOf(appliedChange);
    const { disabled, role, added, removed, adopted } = appliedChange;
    if (disabled) {
      const { reason, evidence, sessionsRevoked } = disabled;
      results.candidates.push({ candidate: { account, reason, evidence }, outcome: 'disabled', sessionsRevoked });
    } else {
      const change = { account, role: role?.to ?? null, add: added, remove: removed, adopt: adopted };
      results.changes.push({ change, applied: true });
    }
  }
  return results;
}

export const noResults: Results = { candidates: [], changes: [] };

/** The part of the results that the plan needs. */
export function toAppliedBefore({ candidates, changes }: Results): AppliedBefore {
  return {
    userIds: new Set(
      [...candidates.map(({ candidate }) => candidate), ...changes.map(({ change }) => change)].map(
        ({ account }) => account.userId,
      ),
    ),
    disabled: candidates.length,
  };
}

export function mergeResults(earlier: Results, current: Results): Results {
  return {
    candidates: [...earlier.candidates, ...current.candidates],
    changes: [...earlier.changes, ...current.changes],
  };
}

function accountOf({ userId, email, login, role }: AppliedChange) {
  return {
    userId,
    email,
    login,
    role: role?.from ?? 'user',
  };
}
