import type { SweepChange } from '@overtone/contracts';
import type { Change, Changed, Leaver } from '../plan/plan.ts';

const expected = (a: Changed): SweepChange['expected'] => ({ role: a.role, directoryId: a.directoryId });
const nothing = () => ({ disable: null, role: null, add: [], remove: [], adopt: null });

export const disabling = ({ account, reason, evidence }: Leaver): SweepChange => ({
  ...nothing(),
  userId: account.userId,
  expected: expected(account),
  disable: { reason, evidence: { ...evidence } },
});

export const reconciling = ({ account, role, add, remove, adopt }: Change): SweepChange => ({
  ...nothing(),
  userId: account.userId,
  expected: expected(account),
  role,
  add: [...add],
  remove: [...remove],
  adopt,
});

/** Lists of at most `size`. */
export const batches = function* <T>(items: readonly T[], size: number): Generator<T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
};
