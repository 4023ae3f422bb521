import type { Db, Tx } from '../database.ts';

export type Candidate = { id: string; email: string; role: string; isActive: boolean; passwordHash: string | null };

export const signInStore = {
  /** The account a typed name means, whatever its spelling. */
  find: async (db: Db, username: string): Promise<Candidate | undefined> => {
    const rows = await db.$queryRaw<Candidate[]>`
      select uuid as id, email, role, is_active as "isActive", password_hash as "passwordHash"
      from "user" where lower(email) = lower(${username.trim()})`;
    return rows[0];
  },
  /** @returns false when the password is no longer the one that was checked. */
  signedIn: async (tx: Tx, userId: string, passwordHash: string): Promise<boolean> => {
    const { count } = await tx.user.updateMany({
      where: { id: userId, passwordHash, isActive: true },
      data: { lastLoginAt: new Date() },
    });
    return count === 1;
  },
};
