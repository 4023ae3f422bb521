import type { SharePermission } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import type { FileShare } from '../generated/client.ts';
import type { Membership, With } from './sharing.ts';

const whereOf = (fileId: string, whom: With) => ({ fileId, ...whom });

export const sharingStore = {
  list: (db: Db, fileId: string) =>
    db.fileShare.findMany({ where: { fileId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] }),
  /** The file is locked: nobody shares it at the same time. */
  set: async (
    tx: Tx,
    fileId: string,
    whom: With,
    change: { permission: SharePermission; sharedBy: string },
  ): Promise<FileShare> => {
    const found = await tx.fileShare.findFirst({ where: whereOf(fileId, whom) });
    if (!found) return tx.fileShare.create({ data: { ...whereOf(fileId, whom), ...change } });
    return tx.fileShare.update({ where: { id: found.id }, data: change });
  },
  find: (tx: Tx, fileId: string, whom: With) => tx.fileShare.findFirst({ where: whereOf(fileId, whom) }),
  /** @returns the share that was removed; the file is locked. */
  remove: async (tx: Tx, fileId: string, id: string): Promise<FileShare | null> => {
    const share = await tx.fileShare.findFirst({ where: { id, fileId } });
    if (share) await tx.fileShare.delete({ where: { id } });
    return share;
  },
  /** Ends everything that is shared with a group or a person. @returns the files it was. */
  removeAllWith: async (tx: Tx, whom: With): Promise<string[]> => {
    const shares = await tx.fileShare.findMany({ where: whom, select: { fileId: true }, orderBy: { fileId: 'asc' } });
    const ids = shares.map(({ fileId }) => fileId);
    await tx.$queryRaw`select 1 from media_file where uuid = any(${ids}::uuid[]) order by uuid for update`;
    await tx.fileShare.deleteMany({ where: whom });
    return ids;
  },
  /** One change more of who may see the file. */
  countAccess: (tx: Tx, fileId: string) =>
    tx.mediaFile.update({
      where: { id: fileId },
      data: { accessVersion: { increment: 1 } },
      include: { shares: true },
    }),
  /** A page of the files that are or were shared. */
  shared: (db: Db, after: string | null, limit: number) =>
    db.mediaFile.findMany({
      where: { accessVersion: { gt: 0 }, deletedAt: null, ...(after ? { id: { gt: after } } : {}) },
      include: { shares: true },
      orderBy: { id: 'asc' },
      take: limit,
    }),
  /** Old news change nothing. */
  setMembership: (db: Db, { userId, groupIds, version }: Membership) => db.$executeRaw`
    insert into media_membership (user_id, group_ids, version)
    values (${userId}::uuid, ${groupIds}::uuid[], ${version}::bigint)
    on conflict (user_id) do update set group_ids = excluded.group_ids, version = excluded.version
    where media_membership.version < excluded.version`,
  removeMembership: (tx: Tx, userId: string) => tx.membership.deleteMany({ where: { userId } }),
};
