import type { QueryOf, mediaRoutes } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import type { Prisma } from '../generated/client.ts';
import { withSpeakerCount } from './files.ts';

type ListQuery = QueryOf<(typeof mediaRoutes)['listFiles']>;

const sortColumn = {
  upload_time: 'uploadTime',
  completed_at: 'completedAt',
  title: 'title',
  duration: 'duration',
  file_size: 'fileSize',
} as const;
const nullable = ['completed_at', 'duration'];

export const filesStore = {
  /** `scope`: which files there are for the caller. */
  list: async (db: Db, scope: Prisma.MediaFileWhereInput, normalizedTags: string[], query: ListQuery) => {
    const where = whereOf(scope, normalizedTags, query);
    const direction = nullable.includes(query.sort_by)
      ? { sort: query.sort_order, nulls: 'last' as const }
      : query.sort_order;
    const [items, total] = await Promise.all([
      db.mediaFile.findMany({
        where,
        include: withSpeakerCount,
        orderBy: [{ [sortColumn[query.sort_by]]: direction }, { id: 'asc' }],
        skip: (query.page - 1) * query.page_size,
        take: query.page_size,
      }),
      db.mediaFile.count({ where }),
    ]);
    return { items, total };
  },
  get: (db: Db | Tx, id: string) => db.mediaFile.findUniqueOrThrow({ where: { id }, include: withSpeakerCount }),
  update: (tx: Tx, id: string, data: Prisma.MediaFileUpdateInput) =>
    tx.mediaFile.update({ where: { id }, data: { ...data, updatedAt: new Date() }, include: withSpeakerCount }),
  tags: (db: Db | Tx, id: string) =>
    db.fileTag.findMany({ where: { fileId: id }, include: { tag: true }, orderBy: { tag: { normalizedName: 'asc' } } }),
};

// LIKE's own signs in what people type are letters like any other.
const literally = (text: string): string => text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`);

const whereOf = (
  scope: Prisma.MediaFileWhereInput,
  normalizedTags: string[],
  q: ListQuery,
): Prisma.MediaFileWhereInput => {
  const and: Prisma.MediaFileWhereInput[] = [scope];
  if (q.search) {
    const contains = { contains: literally(q.search), mode: 'insensitive' as const };
    and.push({ OR: [{ title: contains }, { filename: contains }] });
  }
  if (q.status.length > 0) and.push({ status: { in: q.status } });
  for (const normalizedName of normalizedTags) and.push({ tags: { some: { tag: { normalizedName } } } });
  if (q.file_type.length > 0)
    and.push({ OR: q.file_type.map((type) => ({ contentType: { startsWith: `${type}/` } })) });
  if (q.from_date) and.push({ uploadTime: { gte: new Date(q.from_date) } });
  if (q.to_date) and.push({ uploadTime: { lte: new Date(q.to_date) } });
  if (q.min_duration !== undefined) and.push({ duration: { gte: q.min_duration } });
  if (q.max_duration !== undefined) and.push({ duration: { lte: q.max_duration } });
  return { AND: and };
};
