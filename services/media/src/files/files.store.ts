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
  /** @param scope the filter for the caller's visible files. */
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

// Wildcards of LIKE in the user's input are matched literally.
function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`);
}

function whereOf(
  scope: Prisma.MediaFileWhereInput,
  normalizedTags: string[],
  query: ListQuery,
): Prisma.MediaFileWhereInput {
  const and: Prisma.MediaFileWhereInput[] = [scope];
  if (query.search) {
    const contains = { contains: escapeLike(query.search), mode: 'insensitive' as const };
    and.push({ OR: [{ title: contains }, { filename: contains }] });
  }
  if (query.status.length > 0) and.push({ status: { in: query.status } });
  for (const normalizedName of normalizedTags) and.push({ tags: { some: { tag: { normalizedName } } } });
  if (query.file_type.length > 0)
    and.push({ OR: query.file_type.map((type) => ({ contentType: { startsWith: `${type}/` } })) });
  if (query.from_date) and.push({ uploadTime: { gte: new Date(query.from_date) } });
  if (query.to_date) and.push({ uploadTime: { lte: new Date(query.to_date) } });
  if (query.min_duration !== undefined) and.push({ duration: { gte: query.min_duration } });
  if (query.max_duration !== undefined) and.push({ duration: { lte: query.max_duration } });
  return { AND: and };
}
