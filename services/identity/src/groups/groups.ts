import type { groupDetail, groupMember, groupObject, MappingSource } from '@overtone/contracts';
import { roleAtLeast } from '@overtone/contracts';
import { notFound, type Caller } from '@overtone/service-kit';
import type { z } from 'zod';
import type { Tx } from '../database.ts';

export type GroupRole = 'member' | 'manager';
export type GroupObject = z.infer<typeof groupObject>;
export type GroupDetail = z.infer<typeof groupDetail>;
export type GroupMember = z.infer<typeof groupMember>;

export type GroupRow = {
  id: string;
  name: string;
  description: string;
  memberCount: number;
  myRole: string | null;
  createdAt: Date;
  updatedAt: Date;
};
export type MemberRow = {
  userId: string;
  email: string;
  fullName: string;
  role: string;
  source: string;
  addedAt: Date;
};

export function noGroup() {
  return notFound('There is no such group');
}

/** Administrators see every group, others those they are in. */
export function maySee(caller: Caller, group: { myRole: string | null }): boolean {
  return roleAtLeast(caller.role, 'admin') || group.myRole !== null;
}

/** A caller who may see a group but not change it gets the same error as one who may not see it. */
export function mayManage(caller: Caller, group: { myRole: string | null }): boolean {
  return roleAtLeast(caller.role, 'admin') || group.myRole === 'manager';
}

export function toGroupObject(row: GroupRow): GroupObject {
  return {
    uuid: row.id,
    name: row.name,
    description: row.description,
    member_count: row.memberCount,
    my_role: row.myRole as GroupRole | null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

export function toGroupMember(row: MemberRow): GroupMember {
  return {
    user_id: row.userId,
    email: row.email,
    full_name: row.fullName,
    role: row.role as GroupRole,
    source: row.source as GroupMember['source'],
    added_at: row.addedAt.toISOString(),
  };
}

export function toGroupDetail(row: GroupRow, members: MemberRow[]): GroupDetail {
  return {
    ...toGroupObject(row),
    members: members.map(toGroupMember),
  };
}

/** The memberships that a directory, provider or proxy grants. */
export type Memberships = {
  /**
   * Leaves exactly these groups among the memberships that `source` made, in the caller's transaction, which holds the
   * account already. Memberships of other sources stay unchanged, and existing ones are not added again.
   */
  syncMemberships: (
    tx: Tx,
    wanted: { userId: string; source: MappingSource; groupIds: readonly string[] },
  ) => Promise<{ added: string[]; removed: string[] }>;
};
