import type { NotificationKind } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import { Prisma } from '../generated/client.ts';

export type NotificationRow = {
  id: string;
  kind: NotificationKind;
  subjectId: string;
  time: Date;
  readAt: Date | null;
  actorId: string | null;
  actorName: string | null;
};
/** What happened, once for all accounts that are notified of it. */
export type Occurrence = { kind: NotificationKind; subjectId: string; actorId: string | null; time: Date };

export const keptDays = 30;
const isKept = Prisma.sql`n.time > now() - make_interval(days => ${keptDays})`;

/** @param among the accounts to notify, as a condition on "user" u; an own action notifies only others. */
export async function insertNotifications(
  tx: Tx,
  { kind, subjectId, actorId, time }: Occurrence,
  among: Prisma.Sql,
): Promise<string[]> {
  const rows = await tx.$queryRaw<{ userId: string }[]>`
    insert into notification as n (user_id, kind, subject_id, actor_id, time)
    select u.uuid, ${kind}, ${subjectId}::uuid, ${actorId}::uuid, ${time} from "user" u
    where ${among} and u.uuid is distinct from ${actorId}::uuid
      and (${actorId}::uuid is null or exists (select 1 from "user" a where a.uuid = ${actorId}::uuid))
    order by u.uuid
    on conflict (user_id, kind, subject_id, coalesce(actor_id, '00000000-0000-0000-0000-000000000000'))
    do update set time = excluded.time, read_at = null where n.time < excluded.time
    returning user_id as "userId"`;
  return rows.map(({ userId }) => userId);
}

/** Only the newest run of a kind that failed or is held is of interest. */
export async function deleteEarlierOfKind(tx: Tx, { kind, time }: Pick<Occurrence, 'kind' | 'time'>): Promise<void> {
  await tx.$executeRaw`delete from notification where kind = ${kind} and time < ${time}`;
}

export const notificationsStore = {
  page: async (
    db: Db,
    userId: string,
    { page, size }: { page: number; size: number },
  ): Promise<{ rows: NotificationRow[]; total: number }> => {
    const own = Prisma.sql`n.user_id = ${userId}::uuid and ${isKept}`;
    const rows = await db.$queryRaw<NotificationRow[]>`
      select n.uuid as id, n.kind, n.subject_id as "subjectId", n.time, n.read_at as "readAt", n.actor_id as "actorId",
             coalesce(nullif(a.full_name, ''), a.email) as "actorName"
      from notification n left join "user" a on a.uuid = n.actor_id
      where ${own} order by n.time desc, n.uuid limit ${size} offset ${(page - 1) * size}`;
    const counted = await db.$queryRaw<{ total: number }[]>`
      select count(*)::int as total from notification n where ${own}`;
    return { rows, total: counted[0]?.total ?? 0 };
  },

  unread: async (db: Db | Tx, userId: string): Promise<number> => {
    const rows = await db.$queryRaw<{ unread: number }[]>`
      select count(*)::int as unread from notification n
      where n.user_id = ${userId}::uuid and n.read_at is null and ${isKept}`;
    return rows[0]?.unread ?? 0;
  },

  /** @param ids undefined: all. @returns how many were unread before. */
  read: async (tx: Tx, userId: string, ids: string[] | undefined): Promise<number> => {
    const some = ids === undefined ? {} : { id: { in: ids } };
    const { count } = await tx.notification.updateMany({
      where: { userId, readAt: null, ...some },
      data: { readAt: new Date() },
    });
    return count;
  },

  forget: async (db: Db, subjectId: string): Promise<void> =>
    void (await db.notification.deleteMany({ where: { subjectId } })),

  deleteOld: async (db: Db): Promise<number> =>
    db.$executeRaw`delete from notification where time < now() - make_interval(days => ${keptDays})`,
};
