import { erasureRpc, userErasureOrdered } from '@overtone/contracts';
import { consumer, periodic, restingPeriodic, rpc, type Slice } from '@overtone/service-kit';
import { createErasure, type ErasureDeps } from './erasure.service.ts';

const checkEveryMs = 2_000;
const hour = 3_600_000;

/** Erases what media stores of a person whose erasure identity has ordered. */
export function createErasureSlice(deps: ErasureDeps): Slice {
  const erasure = createErasure(deps);
  return {
    rpcs: [rpc(erasureRpc.describeOwner, ({ userId }) => erasure.describe(userId))],
    consumers: [
      /** A person is to be erased: writes the order down; a repeated one is worked on again. */
      consumer(userErasureOrdered, 'erase-person', erasure.accept),
    ],
    periodics: [
      restingPeriodic('erase ordered persons', checkEveryMs, erasure.eraseOrdered),
      periodic('forget old erasures', hour, erasure.forgetOld),
    ],
  };
}
