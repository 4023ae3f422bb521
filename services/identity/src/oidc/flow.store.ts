import type { Db } from '../database.ts';
import { flowSeconds, stateHash } from './flow.ts';

export const flowStore = {
  /** @returns false when the state was already used, on any replica. */
  spend: async (db: Db, state: string): Promise<boolean> => {
    const { count } = await db.oidcSpentState.createMany({
      data: [{ stateHash: stateHash(state), expiresAt: new Date(Date.now() + 2 * flowSeconds * 1000) }],
      skipDuplicates: true,
    });
    return count === 1;
  },
  deleteOld: async (db: Db): Promise<number> => {
    const { count } = await db.oidcSpentState.deleteMany({ where: { expiresAt: { lt: new Date() } } });
    return count;
  },
};
