import type { ErasureReport, ErasureService } from '@overtone/contracts';
import { nameKey } from '../lockout/lockout.ts';
import type { Db, Tx } from '../database.ts';
import type { Prisma } from '../generated/client.ts';
import type { Counts } from './erasure.ts';

export { resealLedgerKeys } from './ledger-keys.ts';

export const withReports = { reports: true } satisfies Prisma.ErasureInclude;

export const erasureStore = {
  find: (db: Db | Tx, id: string) => db.erasure.findUnique({ where: { id }, include: withReports }),

  /** Serialises an erasure’s reports. */
  lock: async (tx: Tx, id: string): Promise<void> =>
    void (await tx.$queryRaw`select 1 from erasure where uuid = ${id}::uuid for update`),

  /** @returns false for an event that was delivered before. */
  addReport: async (tx: Tx, id: string, service: ErasureService, report: ErasureReport): Promise<boolean> => {
    const { erasureId, round, counts, objectHashes, held, complete } = report;
    const data = [{ id, erasureId, round, service, counts, objectHashes, held, complete }];
    return (await tx.erasureReport.createMany({ data, skipDuplicates: true })).count > 0;
  },

  /** Erasures that are not done, and the age of the oldest of each status since its round began. */
  listOpen: (db: Db): Promise<{ status: string; count: number; seconds: number }[]> => db.$queryRaw`
    select e.status, count(*)::int as count, extract(epoch from now() - min(greatest(e.ordered_at, coalesce(r.ended, '-infinity'))))::float8 as seconds
    from erasure e left join lateral (
      select max(reported_at) as ended from erasure_report where erasure_id = e.uuid and round < e.round) r on true
    where e.status <> 'done' group by e.status`,

  /** Groups whose only manager is the person, and that have other members. */
  onlyManagerOf: (db: Db | Tx, userId: string): Promise<{ name: string }[]> => db.$queryRaw<{ name: string }[]>`
    select g.name from user_group g join user_group_member m on m.group_id = g.uuid
    where m.user_id = ${userId}::uuid and m.role = 'manager'
      and exists (select 1 from user_group_member o where o.group_id = g.uuid and o.user_id <> m.user_id)
      and not exists (select 1 from user_group_member o
        where o.group_id = g.uuid and o.user_id <> m.user_id and o.role = 'manager')
    order by g.name`,

  countOf: async (db: Db | Tx, userId: string): Promise<Counts> => {
    const where = { userId };
    const [sessions, passwords, memberships] = await Promise.all([
      db.refreshToken.count({ where }),
      db.passwordHistory.count({ where }),
      db.userGroupMember.count({ where }),
    ]);
    return { accounts: 1, sessions, earlier_passwords: passwords, memberships };
  },

  /** Deletes the account with what belongs to it, and removes it from what it has made or changed. */
  eraseAccount: async (tx: Tx, userId: string, email: string): Promise<Counts> => {
    const counts = await erasureStore.countOf(tx, userId);
    await tx.$executeRaw`update user_group set created_by = null where created_by = ${userId}::uuid`;
    await tx.$executeRaw`update user_group_member set added_by = null where added_by = ${userId}::uuid`;
    await tx.$executeRaw`update group_mapping set created_by = null where created_by = ${userId}::uuid`;
    await tx.$executeRaw`update auth_config set updated_by = null where updated_by = ${userId}::uuid`;
    await tx.$executeRaw`update "user" set approved_by = null where approved_by = ${userId}::uuid`;
    const lockouts = await tx.loginLockout.deleteMany({ where: { loginKey: nameKey(email) } });
    await tx.user.delete({ where: { id: userId } });
    return { ...counts, lockouts: lockouts.count };
  },

  /** Removes the person from audit records; what happened and when stays. @returns the number of changed records. */
  anonymiseAudit: async (tx: Tx, userId: string, email: string): Promise<number> => {
    const rows = await tx.$queryRaw<{ changed: number }[]>`
      select anonymise_audit_records(${userId}::uuid, ${email}) as changed`;
    return rows[0]?.changed ?? 0;
  },
};
