import type { Db, Tx } from '../database.ts';
import { normalizedTag } from './tags.ts';

export const tagsStore = {
  /** Most used first, then by name. */
  ofUser: (db: Db, userId: string) =>
    db.tag.findMany({
      where: { userId },
      include: { _count: { select: { files: { where: { file: { deletedAt: null } } } } } },
      orderBy: [{ files: { _count: 'desc' } }, { normalizedName: 'asc' }],
    }),
  unused: (db: Db, userId: string) =>
    db.tag.findMany({
      where: { userId, files: { none: { file: { deletedAt: null } } } },
      orderBy: { normalizedName: 'asc' },
    }),
  ofFiles: (db: Db, fileIds: string[]) =>
    db.fileTag.findMany({
      where: { fileId: { in: fileIds } },
      include: { tag: true },
      orderBy: { tag: { normalizedName: 'asc' } },
    }),
  /** Concurrent calls for the same tag return the same row. */
  getOrCreate: async (db: Db | Tx, userId: string, name: string) => {
    const key = { userId, normalizedName: normalizedTag(name) };
    await db.tag.createMany({ data: { ...key, name, source: 'manual' }, skipDuplicates: true });
    return db.tag.findUniqueOrThrow({ where: { userId_normalizedName: key } });
  },
  attach: async (tx: Tx, fileId: string, tagId: string): Promise<boolean> => {
    const { count } = await tx.fileTag.createMany({ data: { fileId, tagId, source: 'manual' }, skipDuplicates: true });
    return count > 0;
  },
  detach: async (tx: Tx, fileId: string, name: string): Promise<boolean> => {
    const { count } = await tx.fileTag.deleteMany({ where: { fileId, tag: { normalizedName: normalizedTag(name) } } });
    return count > 0;
  },
};
