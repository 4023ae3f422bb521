import type { SweepChange } from '@overtone/contracts';
import type { Change, ChangedAccount, DeprovisioningCandidate } from '../plan/plan.ts';

const expectedState = ({ role, directoryId }: ChangedAccount): SweepChange['expected'] => ({ role, directoryId });
const emptyChange = () => ({ disable: null, role: null, add: [], remove: [], adopt: null });

export const toDisableChange = ({ account, reason, evidence }: DeprovisioningCandidate): SweepChange => ({
  ...emptyChange(),
  userId: account.userId,
  expected: expectedState(account),
  disable: { reason, evidence: { ...evidence } },
});

export const toReconcileChange = ({ account, role, add, remove, adopt }: Change): SweepChange => ({
  ...emptyChange(),
  userId: account.userId,
  expected: expectedState(account),
  role,
  add: [...add],
  remove: [...remove],
  adopt,
});

/** Lists of at most `size`. */
export const batches = function* <T>(items: readonly T[], size: number): Generator<T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
};
