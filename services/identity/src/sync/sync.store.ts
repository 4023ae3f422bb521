import type { DirectoryAccounts, LeaveReason, DirectoryChange } from '@overtone/contracts';
import type { AuditEvent } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';

export type LockedAccount = {
  userId: string;
  email: string;
  directoryId: string | null;
  role: 'user' | 'admin' | 'super_admin';
  active: boolean;
};
type Membership = { userId: string; groupId: string };
/** The audit records of one account and one sync run, by event. */
export type AuditedChanges = Partial<Record<AuditEvent, unknown>> & {
  'auth.account.disabled'?: { reason: LeaveReason; evidence: Record<string, string>; sessions_revoked: number };
  ADMIN_ROLE_CHANGE?: { from: LockedAccount['role']; to: 'user' | 'admin' };
  'group.member.reconcile'?: { added: string[]; removed: string[] };
  'auth.account.linked'?: { directory_id: string };
};
type ProcessedRow = { userId: string; email: string; login: string | null; audited: AuditedChanges };
export type AuditRow = { event: AuditEvent; userId: string; username: string; details: Record<string, unknown> };

const firstId = '00000000-0000-0000-0000-000000000000';

export const syncStore = {
  /** A page of the directory's accounts by id, as one JSON text, which is read faster than rows. */
  accounts: async (db: Db, after: string | null, limit: number): Promise<DirectoryAccounts> => {
    // Materialized, so that memberships are looked up for this page only, whatever the planner estimates.
    const rows = await db.$queryRaw<{ page: string }[]>`
      with page as materialized (
        select uuid, email, ldap_uid, directory_id, auth_type, role, is_active, disabled_by from "user"
        where auth_type = 'ldap' and uuid > ${after ?? firstId}::uuid order by uuid limit ${limit})
      select json_build_object(
               'userId', coalesce(json_agg(a.uuid), '[]'), 'email', coalesce(json_agg(a.email), '[]'),
               'login', coalesce(json_agg(a.ldap_uid), '[]'), 'directoryId', coalesce(json_agg(a.directory_id), '[]'),
               'authType', coalesce(json_agg(a.auth_type), '[]'), 'role', coalesce(json_agg(a.role), '[]'),
               'active', coalesce(json_agg(a.is_active), '[]'), 'disabledBy', coalesce(json_agg(a.disabled_by), '[]'),
               'fromDirectory', coalesce(json_agg(coalesce(a.directory, '{}')), '[]'),
               'byHand', coalesce(json_agg(coalesce(a.hand, '{}')), '[]'))::text as page
      from (
        select p.*, m.directory, m.hand
        from page p left join lateral (
          select array_agg(group_id order by group_id) filter (where source = 'ldap') as directory,
                 array_agg(group_id order by group_id) filter (where source <> 'ldap') as hand
          from user_group_member where user_id = p.uuid) m on true
        order by p.uuid) a`;
    return JSON.parse(rows[0]?.page ?? '') as DirectoryAccounts;
  },

  /** Locks those of these accounts that belong to the directory until the transaction ends, in a fixed order. */
  lock: (tx: Tx, userIds: string[]): Promise<LockedAccount[]> => tx.$queryRaw<LockedAccount[]>`
    select uuid as "userId", email, directory_id as "directoryId", role, is_active as active from "user"
    where uuid = any(${userIds}::uuid[]) and auth_type = 'ldap' and role <> 'super_admin'
    order by uuid for update`,

  /** The accounts that this sync run has already changed, by its audit records. */
  findProcessed: async (tx: Tx, passId: string, userIds: string[]): Promise<Set<string>> => {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      select distinct user_id as id from audit_log
      where user_id = any(${userIds}::uuid[]) and actor = 'directory_sync' and details ->> 'pass' = ${passId}`;
    return new Set(rows.map((row) => row.id));
  },

  /** The accounts that a sync run has changed, by id, with its audit records. */
  listProcessed: (
    db: Db,
    { passId, since, after, limit }: { passId: string; since: string; after: string | null; limit: number },
  ): Promise<ProcessedRow[]> => db.$queryRaw<ProcessedRow[]>`
    select a.user_id as "userId", coalesce(max(a.username), '') as email, max(u.ldap_uid) as login,
           jsonb_object_agg(a.event_type, a.details) as audited
    from audit_log a left join "user" u on u.uuid = a.user_id
    where a.time >= ${since}::timestamptz and a.actor = 'directory_sync' and a.details ->> 'pass' = ${passId}
      and a.user_id > ${after ?? firstId}::uuid
    group by a.user_id order by a.user_id limit ${limit}`,

  disable: async (tx: Tx, userIds: string[]): Promise<void> =>
    void (
      userIds.length > 0 &&
      (await tx.$executeRaw`
      update "user" set is_active = false, disabled_by = 'directory', disabled_at = now(), updated_at = now()
      where uuid = any(${userIds}::uuid[])`)
    ),

  setRoles: async (tx: Tx, roles: { userId: string; role: string }[]): Promise<void> =>
    void (
      roles.length > 0 &&
      (await tx.$executeRaw`
      update "user" u set role = r.role, updated_at = now()
      from jsonb_to_recordset(${JSON.stringify(roles)}::jsonb) as r("userId" uuid, role text)
      where u.uuid = r."userId"`)
    ),

  /** Stores immutable ids that no other account has. */
  adopt: async (tx: Tx, ids: { userId: string; directoryId: string }[]): Promise<void> =>
    void (
      ids.length > 0 &&
      (await tx.$executeRaw`
      update "user" u set directory_id = r."directoryId", updated_at = now()
      from jsonb_to_recordset(${JSON.stringify(ids)}::jsonb) as r("userId" uuid, "directoryId" text)
      where u.uuid = r."userId" and u.directory_id is null
        and not exists (select 1 from "user" o where o.directory_id = r."directoryId")`)
    ),

  /**
   * Adds and removes memberships of the directory; groups that no longer exist are skipped.
   * @returns the ids of changed accounts.
   */
  changeMemberships: async (tx: Tx, add: Membership[], remove: Membership[]): Promise<string[]> => {
    if (add.length + remove.length === 0) return [];
    const rows = await tx.$queryRaw<{ id: string }[]>`
      with wanted as (
        select r."userId", g.uuid as "groupId"
        from jsonb_to_recordset(${JSON.stringify(add)}::jsonb) as r("userId" uuid, "groupId" uuid)
        join user_group g on g.uuid = r."groupId" for key share of g),
      added as (
        insert into user_group_member (group_id, user_id, source)
        select "groupId", "userId", 'ldap' from wanted on conflict do nothing returning user_id),
      removed as (
        delete from user_group_member m
        using jsonb_to_recordset(${JSON.stringify(remove)}::jsonb) as r("userId" uuid, "groupId" uuid)
        where m.user_id = r."userId" and m.group_id = r."groupId" and m.source = 'ldap' returning m.user_id)
      select user_id as id from added union select user_id from removed`;
    return rows.map((row) => row.id);
  },

  /** Increments the membership version of these accounts. @returns their current groups. */
  membershipsOf: (tx: Tx, userIds: string[]): Promise<{ userId: string; groupIds: string[]; version: number }[]> =>
    tx.$queryRaw`
      with counted as (
        update "user" set membership_version = membership_version + 1
        where uuid = any(${userIds}::uuid[]) returning uuid, membership_version)
      select c.uuid as "userId", c.membership_version as version,
             coalesce((select array_agg(m.group_id::text order by m.group_id) from user_group_member m
                       where m.user_id = c.uuid), '{}') as "groupIds"
      from counted c order by c.uuid`,

  writeAudit: async (tx: Tx, rows: AuditRow[]): Promise<void> =>
    void (await tx.$executeRaw`
      insert into audit_log (event_type, outcome, actor, user_id, username, details)
      select r.event, 'success', 'directory_sync', r."userId", r.username, r.details
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r(event text, "userId" uuid, username text, details jsonb)`),

  /** Enables the accounts that this sync run disabled and that have not changed since. @returns their ids. */
  restore: async (tx: Tx, passId: string, userIds: string[]): Promise<string[]> => {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      update "user" u set is_active = true, disabled_by = null, disabled_at = null, updated_at = now()
      from audit_log a
      where u.uuid = any(${userIds}::uuid[]) and not u.is_active and u.disabled_by = 'directory'
        and a.user_id = u.uuid and a.actor = 'directory_sync' and a.event_type = 'auth.account.disabled'
        and a.details ->> 'pass' = ${passId} and a.time >= u.disabled_at
      returning u.uuid as id`;
    return rows.map((row) => row.id);
  },
};

/** Memberships to add or remove by a list of changes. */
export function membershipsIn(changes: readonly DirectoryChange[], which: 'add' | 'remove'): Membership[] {
  return changes.flatMap((change) => change[which].map((groupId) => ({ userId: change.userId, groupId })));
}
