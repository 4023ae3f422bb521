import type { SharePermission } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import type { FileShare } from '../generated/client.ts';
import type { Membership, ShareTarget } from './sharing.ts';

function whereOf(fileId: string, target: ShareTarget) {
  return { fileId, ...target };
}

export const sharingStore = {
  list: (db: Db, fileId: string) =>
    db.fileShare.findMany({ where: { fileId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] }),
  /** Requires the file's lock, which excludes concurrent shares. */
  set: async (
    tx: Tx,
    fileId: string,
    target: ShareTarget,
    change: { permission: SharePermission; sharedBy: string },
  ): Promise<FileShare> => {
    const found = await tx.fileShare.findFirst({ where: whereOf(fileId, target) });
    if (!found) return tx.fileShare.create({ data: { ...whereOf(fileId, target), ...change } });
    return tx.fileShare.update({ where: { id: found.id }, data: change });
  },
  find: (tx: Tx, fileId: string, target: ShareTarget) => tx.fileShare.findFirst({ where: whereOf(fileId, target) }),
  /** Requires the file's lock. @returns the removed share. */
  remove: async (tx: Tx, fileId: string, id: string): Promise<FileShare | null> => {
    const share = await tx.fileShare.findFirst({ where: { id, fileId } });
    if (share) await tx.fileShare.delete({ where: { id } });
    return share;
  },
  /** Removes all shares with a group or user. @returns the ids of the affected files. */
  removeAllWith: async (tx: Tx, target: ShareTarget): Promise<string[]> => {
    const shares = await tx.fileShare.findMany({ where: target, select: { fileId: true }, orderBy: { fileId: 'asc' } });
    const ids = shares.map(({ fileId }) => fileId);
    await tx.$queryRaw`select 1 from media_file where uuid = any(${ids}::uuid[]) order by uuid for update`;
    await tx.fileShare.deleteMany({ where: target });
    return ids;
  },
  /** Counts one more change of the file's access list. */
  incrementAccessVersion: (tx: Tx, fileId: string) =>
    tx.mediaFile.update({
      where: { id: fileId },
      data: { accessVersion: { increment: 1 } },
      include: { shares: true },
    }),
  /** A page of the files that are or were shared, by id. */
  listShared: (db: Db, after: string | null, limit: number) =>
    db.mediaFile.findMany({
      where: { accessVersion: { gt: 0 }, deletedAt: null, ...(after ? { id: { gt: after } } : {}) },
      include: { shares: true },
      orderBy: { id: 'asc' },
      take: limit,
    }),
  /** Ignores an older version. */
  setMembership: (db: Db, { userId, groupIds, version }: Membership) => db.$executeRaw`
    insert into media_membership (user_id, group_ids, version)
    values (${userId}::uuid, ${groupIds}::uuid[], ${version}::bigint)
    on conflict (user_id) do update set group_ids = excluded.group_ids, version = excluded.version
    where media_membership.version < excluded.version`,
  removeMembership: (tx: Tx, userId: string) => tx.membership.deleteMany({ where: { userId } }),
};
