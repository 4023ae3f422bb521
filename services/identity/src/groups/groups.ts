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

export function toGroupObject(g: GroupRow): GroupObject {
  return {
    uuid: g.id,
    name: g.name,
    description: g.description,
    member_count: g.memberCount,
    my_role: g.myRole as GroupRole | null,
    created_at: g.createdAt.toISOString(),
    updated_at: g.updatedAt.toISOString(),
  };
}

export function toGroupMember(m: MemberRow): GroupMember {
  return {
    user_id: m.userId,
    email: m.email,
    full_name: m.fullName,
    role: m.role as GroupRole,
    source: m.source as GroupMember['source'],
    added_at: m.addedAt.toISOString(),
  };
}

export function toGroupDetail(g: GroupRow, members: MemberRow[]): GroupDetail {
  return {
    ...toGroupObject(g),
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
