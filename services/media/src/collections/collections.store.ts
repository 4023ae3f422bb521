import { maxCollectionFiles, mediaEvents, type CollectionSource, type SharePermission } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict } from '@overtone/service-kit';
import {
  permissionsOf,
  permissionsOnShared,
  scopeOfShared,
  type Owned,
  type Ownership,
  type Reader,
} from '../access/access.store.ts';
import { permits, type Action, type Permission } from '../access/access.ts';
import type { Db, Tx } from '../database.ts';
import type { Collection, CollectionShare, Prisma } from '../generated/client.ts';
import { collectionNotAllowed, noSuchCollection } from './collections.ts';

/** A collection with the caller's permission. */
export type UsableCollection = Collection & { permission: Permission };
type ShareTarget = { groupId: string } | { userId: string };

/** The filter for the collections that the caller may see: own ones, shared ones, or both. */
export function scopeOfCollections(db: Db, reader: Reader, ownership: Ownership): Promise<Prisma.CollectionWhereInput> {
  return scopeOfShared(db, reader, ownership);
}

/** Permissions by id. Collections without one are missing from the result. */
export function collectionPermissions(
  db: Db | Tx,
  reader: Reader,
  collections: readonly Owned[],
): Promise<Map<string, Permission>> {
  return permissionsOnShared(db, reader, collections, async (ids, recipient) => {
    const shares = await db.collectionShare.findMany({ where: { collectionId: { in: ids }, ...recipient } });
    return shares.map(({ collectionId: ownedId, permission }) => ({ ownedId, permission }));
  });
}

/** The collection, if the caller may perform the action. @throws AppError not_found, or forbidden for those who may read it. */
export async function usableCollection(
  db: Db | Tx,
  caller: Reader,
  id: string,
  action: Action,
): Promise<UsableCollection> {
  const collection = await db.collection.findUnique({ where: { id } });
  const permission = collection && (await collectionPermissions(db, caller, [collection])).get(id);
  if (!collection || !permission) throw noSuchCollection();
  if (!permits(permission, action)) throw collectionNotAllowed(action);
  return { ...collection, permission };
}

/** Like `usableCollection`, locked: its members and shares change only under this lock. */
export async function lockedCollection(tx: Tx, caller: Reader, id: string, action: Action): Promise<UsableCollection> {
  await tx.$queryRaw`select 1 from collection where uuid = ${id}::uuid for update`;
  return usableCollection(tx, caller, id, action);
}

/** Those of the files that the reader may read; they are kept from being deleted until the transaction ends. */
export async function readableFiles(tx: Tx, reader: Reader, fileIds: readonly string[]): Promise<string[]> {
  await tx.$queryRaw`select 1 from media_file where uuid = any(${fileIds}::uuid[]) order by uuid for key share`;
  const select = { id: true, userId: true, status: true, deletedAt: true } as const;
  const files = await tx.mediaFile.findMany({ where: { id: { in: [...fileIds] } }, select });
  return [...(await permissionsOf(tx, reader, files)).keys()].sort();
}

type Addition = {
  fileIds: readonly string[];
  /** The person who chose the files; null: not a person, and shares of the collection do not give them to others. */
  addedBy: string | null;
  source: CollectionSource;
};

/**
 * Adds existing files; requires the collection's lock. A file that another person or a suggestion has added becomes one that
 * the owner added when the owner adds it, too.
 * @throws AppError collection_full.
 */
export async function addFiles(
  tx: Tx,
  { id, userId: ownerId }: Pick<Collection, 'id' | 'userId'>,
  { fileIds, addedBy, source }: Addition,
): Promise<void> {
  await tx.$executeRaw`
    insert into collection_member as m (collection_id, media_file_id, source, added_by)
    select ${id}::uuid, file_id, ${source}, ${addedBy}::uuid from unnest(${fileIds}::uuid[]) file_id order by file_id
    on conflict (collection_id, media_file_id) do update set added_by = excluded.added_by, source = excluded.source
      where excluded.added_by = ${ownerId}::uuid and m.added_by is distinct from excluded.added_by`;
  if ((await tx.collectionMember.count({ where: { collectionId: id } })) > maxCollectionFiles)
    throw conflict('collection_full', `A collection has at most ${maxCollectionFiles} files.`);
  if (addedBy === ownerId) await enqueueAccessChanges(tx, [id], fileIds);
  await touch(tx, id);
}

/** Removes files; requires the collection's lock. @returns the ids of those that it had. */
export async function removeFiles(tx: Tx, id: string, fileIds: readonly string[]): Promise<string[]> {
  await enqueueAccessChanges(tx, [id], fileIds);
  const removed = await tx.$queryRaw<{ id: string }[]>`
    delete from collection_member where collection_id = ${id}::uuid and media_file_id = any(${fileIds}::uuid[])
    returning media_file_id::text as id`;
  if (removed.length > 0) await touch(tx, id);
  return removed.map((row) => row.id);
}

/** Requires the collection's lock. */
export async function removeCollection(tx: Tx, id: string): Promise<void> {
  await enqueueAccessChanges(tx, [id]);
  await tx.collection.delete({ where: { id } });
}

/** Requires the collection's lock, which excludes concurrent shares. */
export async function setCollectionShare(
  tx: Tx,
  collectionId: string,
  target: ShareTarget,
  change: { permission: SharePermission; sharedBy: string },
): Promise<CollectionShare> {
  const found = await tx.collectionShare.findFirst({ where: { collectionId, ...target } });
  const share = found
    ? await tx.collectionShare.update({ where: { id: found.id }, data: change })
    : await tx.collectionShare.create({ data: { collectionId, ...target, ...change } });
  await enqueueAccessChanges(tx, [collectionId]);
  return share;
}

/** Requires the collection's lock. @returns the removed share. */
export async function removeCollectionShare(
  tx: Tx,
  collectionId: string,
  shareId: string,
): Promise<CollectionShare | null> {
  const share = await tx.collectionShare.findFirst({ where: { id: shareId, collectionId } });
  if (!share) return null;
  await enqueueAccessChanges(tx, [collectionId]);
  await tx.collectionShare.delete({ where: { id: shareId } });
  return share;
}

/** Publishes that a collection changed to all who see it; to be called before a change that ends an access. */
export async function publishCollectionChange(
  tx: Tx,
  outbox: Outbox,
  { id, userId: ownerId }: Pick<Collection, 'id' | 'userId'>,
): Promise<void> {
  const shares = await tx.collectionShare.findMany({
    where: { collectionId: id },
    select: { userId: true, groupId: true },
  });
  await outbox.add(tx, mediaEvents.collectionChanged, {
    collectionId: id,
    userIds: [ownerId, ...shares.flatMap(({ userId }) => userId ?? [])],
    groupIds: shares.flatMap(({ groupId }) => groupId ?? []),
  });
}

/** Removes all shares of collections with a group or user. */
export async function removeCollectionSharesWith(tx: Tx, target: ShareTarget): Promise<void> {
  const shares = await tx.collectionShare.findMany({ where: target, select: { collectionId: true } });
  if (shares.length === 0) return;
  await enqueueAccessChanges(
    tx,
    shares.map(({ collectionId }) => collectionId),
  );
  await tx.collectionShare.deleteMany({ where: target });
}

/**
 * Writes down the files that shared collections give to others, to be published by `publishAccessChanges`: a collection may
 * have too many for one transaction. To be called while the shares and members exist.
 */
async function enqueueAccessChanges(
  tx: Tx,
  collectionIds: readonly string[],
  fileIds: readonly string[] | null = null,
): Promise<void> {
  await tx.$executeRaw`
    insert into access_change (media_file_id)
    select distinct m.media_file_id from collection_member m join collection c on c.uuid = m.collection_id
    where c.uuid = any(${collectionIds}::uuid[]) and m.added_by = c.user_id
      and (${fileIds}::uuid[] is null or m.media_file_id = any(${fileIds}::uuid[]))
      and exists (select 1 from collection_share s where s.collection_id = c.uuid)`;
}

async function touch(tx: Tx, id: string): Promise<void> {
  await tx.collection.update({ where: { id }, data: { updatedAt: new Date() } });
}

/** Erases a person from the collections of others, and their own ones. @returns the number of those. */
export async function eraseCollectionsOf(tx: Tx, userId: string): Promise<number> {
  const own = await tx.$queryRaw<{ id: string }[]>`
    select uuid::text as id from collection where user_id = ${userId}::uuid order by uuid for update`;
  const ids = own.map(({ id }) => id);
  // Only files under a legal hold are left of a person.
  await enqueueAccessChanges(tx, ids);
  await tx.collection.deleteMany({ where: { id: { in: ids } } });
  await tx.collectionMember.updateMany({ where: { addedBy: userId }, data: { addedBy: null } });
  await tx.$executeRaw`
    update collection_share s set shared_by = c.user_id from collection c
    where c.uuid = s.collection_id and s.shared_by = ${userId}::uuid`;
  return ids.length;
}
