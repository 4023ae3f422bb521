import type { SweepChange } from '@overtone/contracts';
import type { Change, ChangedAccount, DeprovisioningCandidate } from '../plan/plan.ts';

export function toDisableChange({ account, reason, evidence }: DeprovisioningCandidate): SweepChange {
  return {
    ...emptyChange(),
    userId: account.userId,
    expected: expectedState(account),
    disable: { reason, evidence: { ...evidence } },
  };
}

export function toReconcileChange({ account, role, add, remove, adopt }: Change): SweepChange {
  return {
    ...emptyChange(),
    userId: account.userId,
    expected: expectedState(account),
    role,
    add: [...add],
    remove: [...remove],
    adopt,
  };
}

function emptyChange() {
  return { disable: null, role: null, add: [], remove: [], adopt: null };
}

function expectedState({ role, directoryId }: ChangedAccount): SweepChange['expected'] {
  return { role, directoryId };
}

/** Lists of at most `size`. */
export function* batches<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
}
