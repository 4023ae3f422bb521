import { periodic, type Slice } from '@overtone/service-kit';
import { createLockout } from './lockout.store.ts';
import type { Lockout } from './lockout.ts';

/** Counts failed sign-ins and locks accounts and names. */
export function createLockoutSlice(deps: Parameters<typeof createLockout>[0]): Slice & { lockout: Lockout } {
  const lockout = createLockout(deps);
  return { lockout, periodics: [periodic('delete old failed sign-ins', 3_600_000, lockout.deleteOld)] };
}
