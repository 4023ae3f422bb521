import { userErasureOrdered } from '@overtone/contracts';
import { deleteSentActionsOf } from '@overtone/database';
import { consumer, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';

/** Erases what was sent about the actions of a person. The files in the mirror are erased when media has named them. */
export function createErasureSlice({ db }: { db: Db }): Slice {
  return {
    consumers: [
      /** Idempotent. The consumer of the mirror reports that the erasure is complete. */
      consumer(userErasureOrdered, 'erase-person', async ({ userId }) => {
        await db.$transaction(async (tx) => await deleteSentActionsOf(tx, 'operations', userId));
      }),
    ],
  };
}
