import { roleAtLeast } from '@overtone/contracts';
import type { Caller } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { MediaFile } from '../generated/client.ts';
import { withSpeakerCount } from '../files/files.ts';

const batchSize = 100;

export const binStore = {
  list: async (
    db: Db,
    { userId, role }: Caller,
    { ownership, page, page_size }: { ownership: 'mine' | 'all'; page: number; page_size: number },
  ) => {
    const all = ownership === 'all' && roleAtLeast(role, 'admin');
    const where = { deletedAt: { not: null }, ...(all ? {} : { userId }) };
    const [items, total] = await Promise.all([
      db.mediaFile.findMany({
        where,
        include: withSpeakerCount,
        orderBy: [{ deletedAt: 'desc' }, { id: 'asc' }],
        skip: (page - 1) * page_size,
        take: page_size,
      }),
      db.mediaFile.count({ where }),
    ]);
    return { items, total };
  },
  /** A batch of files deleted before `cutoff`, locked; other replicas skip them. */
  takeExpired: async (tx: Tx, cutoff: Date): Promise<MediaFile[]> => {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      select uuid::text as id from media_file where deleted_at <= ${cutoff}
      order by deleted_at limit ${batchSize} for update skip locked`;
    return tx.mediaFile.findMany({ where: { id: { in: rows.map(({ id }) => id) } } });
  },
};
