import type { Db, Tx } from '../database.ts';
import { normalizedTag } from './tags.ts';

export const tagsStore = {
  /** Most used first, then by name. */
  ofUser: (db: Db, userId: string) =>
    db.tag.findMany({
      where: { userId },
      include: { _count: { select: { files: true } } },
      orderBy: [{ files: { _count: 'desc' } }, { normalizedName: 'asc' }],
    }),
  unused: (db: Db, userId: string) =>
    db.tag.findMany({ where: { userId, files: { none: {} } }, orderBy: { normalizedName: 'asc' } }),
  getOrCreate: (db: Db | Tx, userId: string, name: string) => {
    const key = { userId, normalizedName: normalizedTag(name) };
    return db.tag.upsert({
      where: { userId_normalizedName: key },
      create: { ...key, name, source: 'manual' },
      update: {},
    });
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
