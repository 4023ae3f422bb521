import type { FileAccess } from '@overtone/contracts';

export type Membership = { userId: string; groupIds: readonly string[]; version: number };
/** Who may see a file now and could not before, and the other way round. */
export type Moved = { gained: string[]; lost: string[] };
type Access = Pick<FileAccess, 'ownerId' | 'groupIds' | 'userIds' | 'version'>;

const unmoved: Moved = { gained: [], lost: [] };

const without = (these: ReadonlySet<string>, those: ReadonlySet<string>): string[] =>
  [...these].filter((userId) => !those.has(userId));

/** Who besides its owner hears of a file: with whom it is shared, and who is in which groups. Old news change nothing. */
export const createAudience = () => {
  const files = new Map<string, Access>();
  const people = new Map<string, Membership>();
  const members = new Map<string, Set<string>>();

  const of = (fileId: string): ReadonlySet<string> => {
    const access = files.get(fileId);
    const heard = new Set<string>();
    if (!access) return heard;
    for (const userId of access.userIds) heard.add(userId);
    for (const groupId of access.groupIds) for (const userId of members.get(groupId) ?? []) heard.add(userId);
    heard.delete(access.ownerId);
    return heard;
  };

  return {
    of,
    setAccess: ({ fileId, ...access }: FileAccess): Moved => {
      if (access.version <= (files.get(fileId)?.version ?? -1)) return unmoved;
      const before = of(fileId);
      files.set(fileId, access);
      const after = of(fileId);
      return { gained: without(after, before), lost: without(before, after) };
    },
    /** @returns whether that was news. */
    setMembership: (now: Membership): boolean => {
      const before = people.get(now.userId);
      if (now.version <= (before?.version ?? -1)) return false;
      for (const groupId of before?.groupIds ?? []) members.get(groupId)?.delete(now.userId);
      for (const groupId of now.groupIds) members.set(groupId, (members.get(groupId) ?? new Set()).add(now.userId));
      people.set(now.userId, now);
      return true;
    },
    forget: (fileId: string): void => void files.delete(fileId),
  };
};
export type Audience = ReturnType<typeof createAudience>;
