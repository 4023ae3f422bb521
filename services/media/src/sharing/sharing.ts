import type { FileAccess, shareObject } from '@overtone/contracts';
import type { z } from 'zod';
import type { FileGrant, FileShare } from '../generated/client.ts';

export type ShareObject = z.infer<typeof shareObject>;
/** A group or a user. */
export type ShareTarget = { groupId: string } | { userId: string };
export type Membership = { userId: string; groupIds: string[]; version: number };

/** Names by user id. */
export type Names = ReadonlyMap<string, string>;

export function toShareObject(share: FileShare, names: Names): ShareObject {
  return {
    uuid: share.id,
    group_uuid: share.groupId,
    user_uuid: share.userId,
    user_name: names.get(share.userId ?? '') ?? null,
    permission: share.permission as ShareObject['permission'],
    shared_by: share.sharedBy,
    created_at: share.createdAt.toISOString(),
  };
}

/** For the audit trail. */
export function targetOfShare({ userId, groupId }: FileShare): Record<string, string> {
  return userId ? { user: userId } : { group: groupId ?? '' };
}

type SharedFile = {
  id: string;
  userId: string;
  accessVersion: number;
  grants: Pick<FileGrant, 'groupId' | 'userId'>[];
};

/** The groups and users who may see the file besides its owner. */
export function accessOf({ id, userId, accessVersion, grants }: SharedFile): FileAccess {
  return {
    fileId: id,
    ownerId: userId,
    groupIds: distinct(grants.map(({ groupId }) => groupId)),
    userIds: distinct(grants.map((grant) => grant.userId)),
    version: accessVersion,
  };
}

function distinct(ids: (string | null)[]): string[] {
  return [...new Set(ids.filter((id) => id !== null))].sort();
}
