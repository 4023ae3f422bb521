import type { Db, Tx } from '../database.ts';
import type { Prisma } from '../generated/client.ts';
import { withSpeakerCount } from '../files/files.ts';

export const uploadsStore = {
  /** Serializes uploads of the same bytes by one user, so that the second is rejected as a duplicate. */
  lockHash: (tx: Tx, userId: string, sha256: string) =>
    tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`${userId}:${sha256}`}, 0))`,
  /** Ignores files in the bin: a deleted recording may be uploaded again. */
  findDuplicate: (tx: Tx, userId: string, fileHash: string) =>
    tx.mediaFile.findFirst({ where: { userId, fileHash, deletedAt: null }, orderBy: { uploadTime: 'asc' } }),
  find: (db: Db | Tx, id: string) => db.mediaFile.findUnique({ where: { id }, include: withSpeakerCount }),
  insert: (tx: Tx, data: Prisma.MediaFileUncheckedCreateInput) =>
    tx.mediaFile.create({ data, include: withSpeakerCount }),
};
