import {
  maxCollectionFiles,
  maxCountedCollections,
  type BodyOf,
  type CollectionObject,
  type mediaRoutes,
  type QueryOf,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { isAppError, type Caller } from '@overtone/service-kit';
import { scopeOf } from '../access/access.store.ts';
import { recordOperation, type Actor } from '../audit/audit.ts';
import { escapeLike, isUniqueViolation, type Db, type Tx } from '../database.ts';
import type { Collection } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';
import { collectionExists, fileResults, noSuchCollection, toCollectionObject } from './collections.ts';
import {
  addFiles,
  collectionPermissions,
  lockedCollection,
  publishCollectionChange,
  readableFiles,
  removeCollection,
  removeFiles,
  scopeOfCollections,
  usableCollection,
} from './collections.store.ts';

type ListQuery = QueryOf<typeof mediaRoutes.listCollections>;
type NewCollection = BodyOf<typeof mediaRoutes.createCollection>;
type Change = BodyOf<typeof mediaRoutes.updateCollection>;
/** Titles in an audit record. */
const namedFiles = 20;
export type CollectionsDeps = { db: Db; outbox: Outbox; people: Pick<People, 'names' | 'exists'> };

/** Collections of files: what their owners and editors do with them. */
export function createCollections({ db, outbox, people }: CollectionsDeps) {
  const describe = createDescriptions({ db, people });
  const describeOne = async (caller: Caller, id: string): Promise<CollectionObject> => {
    const [object] = await describe(caller, [await usableCollection(db, caller, id, 'read')]);
    if (!object) throw noSuchCollection();
    return object;
  };

  const recordFiles = async (
    tx: Tx,
    actor: Actor,
    action: 'collection_files_added' | 'collection_files_removed',
    { collection, fileIds }: { collection: Collection; fileIds: readonly string[] },
  ): Promise<void> => {
    if (fileIds.length === 0) return;
    const { id, name, userId: owner } = collection;
    const titles = await tx.mediaFile.findMany({
      where: { id: { in: fileIds.slice(0, namedFiles) } },
      select: { title: true },
      orderBy: { id: 'asc' },
    });
    const title = titles.map((file) => file.title).join('; ');
    await recordOperation(tx, outbox, actor, action, { collection: id, name, owner, files: fileIds.length, title });
    await publishCollectionChange(tx, outbox, collection);
  };

  return {
    list: async (caller: Caller, query: ListQuery) => {
      const { page, page_size } = query;
      const { search, file_uuid: fileId } = query;
      const where = {
        AND: [
          await scopeOfCollections(db, caller, query.ownership),
          search ? { name: { contains: escapeLike(search), mode: 'insensitive' as const } } : {},
          // The file must be one that the caller may read: which collections it is in would tell that it exists.
          fileId ? { members: { some: { fileId, file: await scopeOf(db, caller, 'all') } } } : {},
        ],
      };
      const [collections, total] = await Promise.all([
        db.collection.findMany({
          where,
          orderBy: [{ name: 'asc' }, { id: 'asc' }],
          skip: (page - 1) * page_size,
          take: page_size,
        }),
        db.collection.count({ where }),
      ]);
      return { items: await describe(caller, collections), total, page, page_size };
    },

    get: describeOne,

    create: async (caller: Caller, { name, description }: NewCollection): Promise<CollectionObject> => {
      const data = { userId: caller.userId, name, description };
      const [collection] = await db.collection.createManyAndReturn({ data, skipDuplicates: true });
      if (!collection) throw collectionExists(name);
      return describeOne(caller, collection.id);
    },

    update: async (caller: Caller, id: string, { name, description }: Change): Promise<CollectionObject> => {
      const data = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
      try {
        await db.$transaction(async (tx) => {
          const collection = await lockedCollection(tx, caller, id, 'edit');
          await tx.collection.update({ where: { id }, data: { ...data, updatedAt: new Date() } });
          await publishCollectionChange(tx, outbox, collection);
        });
      } catch (error) {
        throw isUniqueViolation(error) ? collectionExists(name ?? '', { cause: error }) : error;
      }
      return describeOne(caller, id);
    },

    remove: (actor: Actor, id: string): Promise<undefined> =>
      db.$transaction(async (tx) => {
        const { name, userId } = await lockedCollection(tx, actor, id, 'own');
        await publishCollectionChange(tx, outbox, { id, userId });
        await removeCollection(tx, id);
        await recordOperation(tx, outbox, actor, 'collection_deleted', { collection: id, name, owner: userId });
        return undefined;
      }),

    /** Files that the caller may not read are reported as not found. */
    addFiles: (actor: Actor, id: string, fileIds: readonly string[]) =>
      db.$transaction(async (tx) => {
        const collection = await lockedCollection(tx, actor, id, 'edit');
        const readable = await readableFiles(tx, actor, fileIds);
        await addFiles(tx, collection, { fileIds: readable, addedBy: actor.userId, source: 'manual' });
        await recordFiles(tx, actor, 'collection_files_added', { collection, fileIds: readable });
        return fileResults(fileIds, new Set(readable), 'There is no such file.');
      }),

    removeFiles: (actor: Actor, id: string, fileIds: readonly string[]) =>
      db.$transaction(async (tx) => {
        const collection = await lockedCollection(tx, actor, id, 'edit');
        const removed = await removeFiles(tx, id, await readableFiles(tx, actor, fileIds));
        await recordFiles(tx, actor, 'collection_files_removed', { collection, fileIds: removed });
        return fileResults(fileIds, new Set(removed), 'The collection does not have this file.');
      }),

    /** The ids of the files that the reader may read; null when the reader may not see the collection. */
    fileIdsFor: async (reader: Pick<Caller, 'userId' | 'role'>, id: string): Promise<string[] | null> => {
      const visible = await usableCollection(db, reader, id, 'read').catch((error: unknown) => {
        if (isAppError(error) && error.kind === 'not_found') return null;
        throw error;
      });
      if (!visible) return null;
      const file = await scopeOf(db, reader, 'all');
      const members = await db.collectionMember.findMany({
        where: { collectionId: id, file },
        select: { fileId: true },
      });
      return members.map(({ fileId }) => fileId);
    },

    /** Files that the reader may read of all collections with this name, in any case; null when the reader sees none. */
    fileIdsNamed: async (reader: Pick<Caller, 'userId' | 'role'>, name: string): Promise<string[] | null> => {
      const scope = await scopeOfCollections(db, reader, 'all');
      const named = { name: { equals: escapeLike(name), mode: 'insensitive' as const } };
      const found = await db.collection.findMany({ where: { AND: [scope, named] }, select: { id: true }, take: 100 });
      if (found.length === 0) return null;
      const members = await db.collectionMember.findMany({
        where: { collectionId: { in: found.map(({ id }) => id) }, file: await scopeOf(db, reader, 'all') },
        select: { fileId: true },
        distinct: ['fileId'],
        take: maxCollectionFiles,
      });
      return members.map(({ fileId }) => fileId);
    },

    /** Visible collections with the number of those of the files in them that the reader may read, most frequent first. */
    countFilesFor: async (reader: Pick<Caller, 'userId' | 'role'>, fileIds: readonly string[]) => {
      const [file, collection] = await Promise.all([scopeOf(db, reader, 'all'), scopeOfCollections(db, reader, 'all')]);
      const counts = await db.collectionMember.groupBy({
        by: ['collectionId'],
        where: { fileId: { in: [...fileIds] }, file, collection },
        _count: { fileId: true },
        orderBy: [{ _count: { fileId: 'desc' } }, { collectionId: 'asc' }],
        take: maxCountedCollections,
      });
      const ids = counts.map(({ collectionId }) => collectionId);
      const named = await db.collection.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
      const names = new Map(named.map(({ id, name }) => [id, name]));
      return counts
        .flatMap(({ collectionId, _count: { fileId: count } }) => {
          const name = names.get(collectionId);
          // Without a name: deleted between the two statements.
          return name === undefined ? [] : [{ collectionId, name, count }];
        })
        .toSorted((x, y) => y.count - x.count || x.name.localeCompare(y.name));
    },

    /** Names of the collections among these that the reader may see. */
    namesFor: async (reader: Pick<Caller, 'userId' | 'role'>, ids: readonly string[]) => {
      const found = await db.collection.findMany({ where: { id: { in: [...ids] } } });
      const visible = await collectionPermissions(db, reader, found);
      return found.filter(({ id }) => visible.has(id)).map(({ id, name }) => ({ collectionId: id, name }));
    },
  };
}

/** Collections as the caller sees them: only files that the caller may read are counted. */
function createDescriptions({ db, people }: Pick<CollectionsDeps, 'db' | 'people'>) {
  return async (caller: Caller, collections: readonly Collection[]): Promise<CollectionObject[]> => {
    const ids = collections.map(({ id }) => id);
    const where = { collectionId: { in: ids } };
    const [permissions, files, shares, names] = await Promise.all([
      collectionPermissions(db, caller, collections),
      db.collectionMember.groupBy({
        by: ['collectionId'],
        where: { ...where, file: await scopeOf(db, caller, 'all') },
        _count: true,
      }),
      db.collectionShare.groupBy({ by: ['collectionId'], where, _count: true }),
      people.names(collections.map(({ userId }) => userId).filter((userId) => userId !== caller.userId)),
    ]);
    const fileCounts = new Map(files.map(({ collectionId, _count: count }) => [collectionId, count]));
    const shareCounts = new Map(shares.map(({ collectionId, _count: count }) => [collectionId, count]));
    return collections.map((collection) =>
      toCollectionObject(collection, {
        permission: permissions.get(collection.id) ?? 'viewer',
        ownerName: names.get(collection.userId) ?? null,
        fileCount: fileCounts.get(collection.id) ?? 0,
        shareCount: shareCounts.get(collection.id) ?? 0,
      }),
    );
  };
}
