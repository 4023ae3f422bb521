import type { Db, Tx } from '../database.ts';
import type { User } from '../generated/client.ts';
import { withGroups, type UserWithGroups } from '../users/users.ts';

const pending = { approvalStatus: 'pending' };

export const approvalsStore = {
  /** Accounts that wait for approval, oldest first. */
  waiting: async (db: Db, page: number, size: number): Promise<{ users: UserWithGroups[]; total: number }> => {
    const users = await db.user.findMany({
      where: pending,
      include: withGroups,
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      skip: (page - 1) * size,
      take: size,
    });
    return { users, total: await db.user.count({ where: pending }) };
  },

  /** @returns undefined when the account does not wait for approval. */
  approve: async (tx: Tx, id: string, by: string): Promise<User | undefined> => {
    const data = { approvalStatus: 'approved', approvedAt: new Date(), approvedBy: by };
    return (await tx.user.updateManyAndReturn({ where: { id, ...pending }, data }))[0];
  },
  /** @returns undefined when the account does not wait for approval. */
  reject: async (tx: Tx, id: string, reason: string): Promise<User | undefined> => {
    const data = { approvalStatus: 'rejected', approvalReason: reason || null };
    return (await tx.user.updateManyAndReturn({ where: { id, ...pending }, data }))[0];
  },
};
