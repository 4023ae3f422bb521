import type { FileAccess } from '@overtone/contracts';

export type Membership = { userId: string; groupIds: readonly string[]; version: number };
/** Users who gained and lost access to a file through one change. */
export type AudienceChange = { gained: string[]; lost: string[] };
type Access = Pick<FileAccess, 'ownerId' | 'groupIds' | 'userIds' | 'version'>;

const noChange: AudienceChange = { gained: [], lost: [] };

/**
 * Which users, in addition to the owner, receive a file's events: users and groups it is shared with. Updates with an
 * older version are ignored.
 */
export function createAudience() {
  const files = new Map<string, Access>();
  const memberships = new Map<string, Membership>();
  const members = new Map<string, Set<string>>();

  const of = (fileId: string): ReadonlySet<string> => {
    const access = files.get(fileId);
    const userIds = new Set<string>();
    if (!access) return userIds;
    for (const userId of access.userIds) userIds.add(userId);
    for (const groupId of access.groupIds) for (const userId of members.get(groupId) ?? []) userIds.add(userId);
    userIds.delete(access.ownerId);
    return userIds;
  };

  return {
    of,
    setAccess: ({ fileId, ...access }: FileAccess): AudienceChange => {
      if (access.version <= (files.get(fileId)?.version ?? -1)) return noChange;
      const before = of(fileId);
      files.set(fileId, access);
      const after = of(fileId);
      return { gained: difference(after, before), lost: difference(before, after) };
    },
    /** @returns false when this or a newer version was known. */
    setMembership: (now: Membership): boolean => {
      const before = memberships.get(now.userId);
      if (now.version <= (before?.version ?? -1)) return false;
      for (const groupId of before?.groupIds ?? []) members.get(groupId)?.delete(now.userId);
      for (const groupId of now.groupIds) members.set(groupId, (members.get(groupId) ?? new Set()).add(now.userId));
      memberships.set(now.userId, now);
      return true;
    },
    membersOf: (groupId: string): string[] => [...(members.get(groupId) ?? [])],
    forget: (fileId: string): void => void files.delete(fileId),
  };
}

function difference(from: ReadonlySet<string>, excluded: ReadonlySet<string>): string[] {
  return [...from].filter((userId) => !excluded.has(userId));
}

export type Audience = ReturnType<typeof createAudience>;
