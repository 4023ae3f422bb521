import type { Db, Tx } from '../database.ts';
import type { User } from '../generated/client.ts';

export type NewAccount = {
  email: string;
  fullName: string;
  passwordHash: string;
  role: 'user' | 'admin' | 'super_admin';
};

/** An arbitrary number that no other lock uses: the key of the lock under which the first administrator is created. */
const firstAdminLock = 0x0adf157;

export const accountsStore = {
  byId: (db: Db | Tx, id: string): Promise<User | null> => db.user.findUnique({ where: { id } }),
  rename: (tx: Tx, id: string, fullName: string): Promise<User> =>
    tx.user.update({ where: { id }, data: { fullName } }),
  /** @returns false when the password is no longer the one that was checked. */
  setPassword: async (tx: Tx, id: string, oldHash: string, newHash: string): Promise<boolean> => {
    const { count } = await tx.user.updateMany({
      where: { id, passwordHash: oldHash },
      data: { passwordHash: newHash, passwordChangedAt: new Date(), mustChangePassword: false },
    });
    if (count === 1) await tx.passwordHistory.create({ data: { userId: id, passwordHash: oldHash } });
    return count === 1;
  },
  /** @returns the new account's id; undefined when the address is taken. */
  createUnlessTaken: async (
    tx: Tx,
    account: { email: string; fullName: string; passwordHash: string; approvalStatus: string },
  ): Promise<string | undefined> => {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      insert into "user" (email, full_name, password_hash, password_changed_at, approval_status)
      values (${account.email}, ${account.fullName}, ${account.passwordHash}, now(), ${account.approvalStatus})
      on conflict do nothing returning uuid as id`;
    return rows[0]?.id;
  },
  /** A name that several accounts have is left out. */
  findActive: (db: Db, names: string[]): Promise<{ name: string; userId: string }[]> =>
    db.$queryRaw<{ name: string; userId: string }[]>`
      select n.name, min(u.uuid::text) as "userId" from unnest(${names}::text[]) n (name)
      join "user" u on lower(u.email) = lower(n.name) or lower(u.ldap_uid) = lower(n.name)
      where u.is_active and u.approval_status = 'approved'
      group by n.name having count(*) = 1`,
  create: (tx: Tx, account: NewAccount): Promise<User> => tx.user.create({ data: account }),
  /** Makes the other replicas wait until this transaction ends. */
  lockFirstAdmin: async (tx: Tx): Promise<void> =>
    void (await tx.$executeRaw`select pg_advisory_xact_lock(${firstAdminLock}::bigint)`),
  hasSuperAdmin: async (tx: Tx): Promise<boolean> => (await tx.user.count({ where: { role: 'super_admin' } })) > 0,
  names: (db: Db, ids: string[]): Promise<{ id: string; email: string; fullName: string }[]> =>
    db.user.findMany({ where: { id: { in: ids } }, select: { id: true, email: true, fullName: true } }),
};
