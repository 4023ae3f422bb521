import type { Db, Tx } from '../database.ts';

export type AllGroupsOf = { userId: string; groupIds: string[]; version: number };
type MembershipDiff = { added: string[]; removed: string[] };
export type NewMember = { groupId: string; userId: string; role: string; addedBy: string };

// Lock order for membership changes: account first, then group. So two changes cannot deadlock.
export const membershipsStore = {
  /** Locks an account until the transaction ends. @returns its address; undefined when there is none. */
  lockUser: async (tx: Tx, userId: string): Promise<string | undefined> => {
    const rows = await tx.$queryRaw<{ email: string }[]>`
      select email from "user" where uuid = ${userId}::uuid for update`;
    return rows[0]?.email;
  },

  /** Adds, removes and counts in one statement; groups that were deleted are skipped. */
  syncMemberships: async (
    tx: Tx,
    wanted: { userId: string; source: string; groupIds: readonly string[] },
  ): Promise<MembershipDiff | undefined> => {
    const rows = await tx.$queryRaw<MembershipDiff[]>`
      with wanted as (
        select uuid from user_group where uuid = any(${wanted.groupIds}::uuid[]) order by uuid for key share),
      added as (
        insert into user_group_member (group_id, user_id, source)
        select uuid, ${wanted.userId}::uuid, ${wanted.source} from wanted on conflict do nothing returning group_id),
      removed as (
        delete from user_group_member
        where user_id = ${wanted.userId}::uuid and source = ${wanted.source} and group_id <> all(${wanted.groupIds}::uuid[])
        returning group_id),
      counted as (
        update "user" set membership_version = membership_version + 1
        where uuid = ${wanted.userId}::uuid and (exists (select from added) or exists (select from removed)) returning 1)
      select coalesce((select array_agg(group_id::text order by group_id) from added), '{}') as added,
             coalesce((select array_agg(group_id::text order by group_id) from removed), '{}') as removed
      from counted`;
    return rows[0];
  },

  /**
   * Adds a member manually; a membership from a directory becomes a manual one.
   * @returns false when a person made it before.
   */
  addByHand: async (tx: Tx, member: NewMember): Promise<boolean> => {
    const rows = await tx.$queryRaw<unknown[]>`
      with kept as (
        insert into user_group_member as m (group_id, user_id, role, source, added_by)
        values (${member.groupId}::uuid, ${member.userId}::uuid, ${member.role}, 'manual', ${member.addedBy}::uuid)
        on conflict (group_id, user_id) do update
          set source = 'manual', role = excluded.role, added_by = excluded.added_by, added_at = now()
          where m.source <> 'manual' returning 1)
      update "user" set membership_version = membership_version + 1
      where uuid = ${member.userId}::uuid and exists (select from kept) returning 1`;
    return rows.length > 0;
  },

  remove: async (tx: Tx, groupId: string, userId: string): Promise<void> =>
    void (await tx.$executeRaw`
      with removed as (
        delete from user_group_member where group_id = ${groupId}::uuid and user_id = ${userId}::uuid returning 1)
      update "user" set membership_version = membership_version + 1
      where uuid = ${userId}::uuid and exists (select from removed)`),

  /** All groups of these accounts as they are now. */
  allGroupsOf: (tx: Tx, userIds: readonly string[]): Promise<AllGroupsOf[]> => tx.$queryRaw<AllGroupsOf[]>`
    select u.uuid as "userId", u.membership_version as version,
           coalesce(array_agg(m.group_id::text order by m.group_id) filter (where m.group_id is not null), '{}') as "groupIds"
    from "user" u left join user_group_member m on m.user_id = u.uuid
    where u.uuid = any(${userIds}::uuid[]) group by u.uuid order by u.uuid`,

  /** A page of users who are or were in a group, by id. Former members are included so that outdated events are recognised. */
  page: (db: Db, after: string | null, limit: number): Promise<AllGroupsOf[]> => db.$queryRaw<AllGroupsOf[]>`
    select u.uuid as "userId", u.membership_version as version,
           coalesce((select array_agg(m.group_id::text order by m.group_id) from user_group_member m
                     where m.user_id = u.uuid), '{}') as "groupIds"
    from "user" u
    where u.uuid > ${after ?? '00000000-0000-0000-0000-000000000000'}::uuid
      and (u.membership_version > 0 or exists (select from user_group_member m where m.user_id = u.uuid))
    order by u.uuid limit ${limit}`,

  /** Locks the accounts of all members. @returns their ids. */
  lockMembers: async (tx: Tx, groupId: string): Promise<string[]> => {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      select uuid as id from "user" where uuid in (select user_id from user_group_member where group_id = ${groupId}::uuid)
      order by uuid for update`;
    return rows.map((row) => row.id);
  },
  memberIds: async (tx: Tx, groupId: string): Promise<string[]> =>
    (await tx.userGroupMember.findMany({ where: { groupId }, select: { userId: true } })).map(
      (member) => member.userId,
    ),
  removeAll: async (tx: Tx, groupId: string): Promise<void> =>
    void (await tx.$executeRaw`
      with removed as (delete from user_group_member where group_id = ${groupId}::uuid returning user_id)
      update "user" set membership_version = membership_version + 1 where uuid in (select user_id from removed)`),
};
