import type { Db, Tx } from '../database.ts';

const maxTags = 1_000;
const maxNames = 1_000;
const maxPeople = 500;
const maxCollections = 500;

/** The names of the owner's tags, most used first. */
export async function ownerTags(db: Db, userId: string): Promise<string[]> {
  const tags = await db.tag.findMany({
    where: { userId },
    orderBy: [{ files: { _count: 'desc' } }, { normalizedName: 'asc' }],
    take: maxTags,
  });
  return tags.map(({ name }) => name);
}

/** The names that people gave to speakers of the owner's files, most used first. */
export async function speakerNames(db: Db, userId: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ name: string }[]>`
    select s.display_name as name from speaker s join media_file f on f.uuid = s.media_file_id
    where f.user_id = ${userId}::uuid and f.deleted_at is null and s.display_name <> ''
    group by s.display_name order by count(*) desc, s.display_name limit ${maxNames}`;
  return rows.map(({ name }) => name);
}

/** The owner and the members of the owner's groups. */
export async function groupMembers(db: Db, userId: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    select m.user_id::text as id from media_membership m
    where m.group_ids && (select group_ids from media_membership where user_id = ${userId}::uuid)
      and m.user_id <> ${userId}::uuid
    order by m.user_id limit ${maxPeople - 1}`;
  return [userId, ...rows.map(({ id }) => id)];
}

/** The owner's files with a final transcript, after `after` in order of id. */
export async function ownedFiles(
  db: Db,
  { ownerId, after, limit }: { ownerId: string; after: string | null; limit: number },
): Promise<string[]> {
  const files = await db.mediaFile.findMany({
    where: {
      userId: ownerId,
      transcriptVersion: { gt: 0 },
      transcriptProvisional: false,
      deletedAt: null,
      ...(after ? { id: { gt: after } } : {}),
    },
    orderBy: { id: 'asc' },
    take: limit,
    select: { id: true },
  });
  return files.map(({ id }) => id);
}

/** The owner's collections, and whether the file is in them. */
export async function ownerCollections(db: Db, userId: string, fileId: string) {
  const collections = await db.collection.findMany({
    where: { userId },
    include: { _count: { select: { shares: true } }, members: { where: { fileId }, select: { fileId: true } } },
    orderBy: { updatedAt: 'desc' },
    take: maxCollections,
  });
  return collections.map(({ name, members, _count: { shares } }) => ({
    name,
    contains: members.length > 0,
    isShared: shares > 0,
  }));
}

/** Locks collections of the file's owner, before the file itself: those who add files lock in the same order. */
export async function lockCollections(tx: Tx, fileId: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await tx.$queryRaw`
    select 1 from collection c join media_file f on f.user_id = c.user_id
    where f.uuid = ${fileId}::uuid and lower(c.name) = any(${names.map((name) => name.toLowerCase())}::text[])
    order by c.uuid for update of c`;
}

/** A collection by its name, with the number of its shares. */
export async function ownCollection(tx: Tx, userId: string, name: string) {
  const found = await tx.collection.findFirst({
    where: { userId, name: { equals: name, mode: 'insensitive' } },
    include: { _count: { select: { shares: true } } },
  });
  if (!found) return null;
  const { _count: count, ...collection } = found;
  return { ...collection, shareCount: count.shares };
}
