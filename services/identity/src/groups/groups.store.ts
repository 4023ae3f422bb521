import type { Db, Tx } from '../database.ts';
import type { GroupRow, MemberRow } from './groups.ts';

type Fields = { name?: string | undefined; description?: string | undefined };

function unlike(text: string): string {
  return text.replace(/[\\%_]/g, String.raw`\$&`);
}

export const groupsStore = {
  /** Groups whose name contains `q`: all, or those that the caller is in. */
  list: (db: Db, who: { userId: string; all: boolean }, text: string): Promise<GroupRow[]> => db.$queryRaw<GroupRow[]>`
    select g.uuid as id, g.name, g.description, g.created_at as "createdAt", g.updated_at as "updatedAt",
           mine.role as "myRole",
           (select count(*)::int from user_group_member m where m.group_id = g.uuid) as "memberCount"
    from user_group g
    left join user_group_member mine on mine.group_id = g.uuid and mine.user_id = ${who.userId}::uuid
    where (${who.all} or mine.user_id is not null) and g.name ilike ${`%${unlike(text)}%`}
    order by lower(g.name), g.uuid`,

  find: async (db: Db | Tx, id: string, callerId: string): Promise<GroupRow | undefined> => {
    const rows = await db.$queryRaw<GroupRow[]>`
      select g.uuid as id, g.name, g.description, g.created_at as "createdAt", g.updated_at as "updatedAt",
             mine.role as "myRole",
             (select count(*)::int from user_group_member m where m.group_id = g.uuid) as "memberCount"
      from user_group g
      left join user_group_member mine on mine.group_id = g.uuid and mine.user_id = ${callerId}::uuid
      where g.uuid = ${id}::uuid`;
    return rows[0];
  },

  members: (db: Db | Tx, groupId: string): Promise<MemberRow[]> => db.$queryRaw<MemberRow[]>`
    select m.user_id as "userId", u.email, u.full_name as "fullName", m.role, m.source, m.added_at as "addedAt"
    from user_group_member m join "user" u on u.uuid = m.user_id
    where m.group_id = ${groupId}::uuid order by lower(u.full_name), lower(u.email), u.uuid`,
  member: async (tx: Tx, groupId: string, userId: string): Promise<MemberRow | undefined> => {
    const rows = await tx.$queryRaw<MemberRow[]>`
      select m.user_id as "userId", u.email, u.full_name as "fullName", m.role, m.source, m.added_at as "addedAt"
      from user_group_member m join "user" u on u.uuid = m.user_id
      where m.group_id = ${groupId}::uuid and m.user_id = ${userId}::uuid`;
    return rows[0];
  },
  setRole: async (tx: Tx, groupId: string, userId: string, role: string): Promise<void> =>
    void (await tx.userGroupMember.update({ where: { groupId_userId: { groupId, userId } }, data: { role } })),

  /** Locks a group against deletion; @returns false when it no longer exists. */
  lockShared: async (tx: Tx, id: string): Promise<boolean> =>
    (await tx.$queryRaw<unknown[]>`select 1 from user_group where uuid = ${id}::uuid for key share`).length > 0,
  lock: async (tx: Tx, id: string): Promise<boolean> =>
    (await tx.$queryRaw<unknown[]>`select 1 from user_group where uuid = ${id}::uuid for update`).length > 0,

  create: async (tx: Tx, group: { name: string; description: string; createdBy: string }): Promise<string> =>
    (await tx.userGroup.create({ data: group, select: { id: true } })).id,
  /** @returns false when the group no longer exists. */
  update: async (tx: Tx, id: string, { name, description }: Fields): Promise<boolean> => {
    const data = { ...(name === undefined ? {} : { name }), ...(description === undefined ? {} : { description }) };
    return (await tx.userGroup.updateMany({ where: { id }, data: { ...data, updatedAt: new Date() } })).count > 0;
  },

  /** Serializes changes of mappings; must be the first lock of a transaction. */
  lockMappings: async (tx: Tx): Promise<void> =>
    void (await tx.$executeRaw`lock table group_mapping in share row exclusive mode`),
  /** Removes the group from its mappings, and deletes mappings that grant nothing else. */
  unmap: async (tx: Tx, groupId: string): Promise<{ deleted: number; changed: number }> => {
    const { count: deleted } = await tx.groupMapping.deleteMany({ where: { groupId, grantsRole: null } });
    const { count: changed } = await tx.groupMapping.updateMany({ where: { groupId }, data: { groupId: null } });
    return { deleted, changed };
  },
  /** Whether a mapping of this source grants the group. */
  isMapped: async (tx: Tx, groupId: string, source: string): Promise<boolean> =>
    (await tx.groupMapping.count({ where: { groupId, source } })) > 0,
  delete: async (tx: Tx, id: string): Promise<void> => void (await tx.userGroup.delete({ where: { id } })),
};
