import { mediaEvents, type BodyOf, type mediaRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { notFound, type AppError, type Caller } from '@overtone/service-kit';
import { recordOperation, type Actor } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import type { Collection, CollectionShare } from '../generated/client.ts';
import { checkShareTarget, publishAccess, unknownTarget } from '../sharing/sharing.store.ts';
import { toCollectionShareObject, type CollectionShareObject } from './collections.ts';
import type { CollectionsDeps } from './collections.service.ts';
import {
  lockedCollection,
  publishCollectionChange,
  removeCollectionShare,
  setCollectionShare,
  usableCollection,
} from './collections.store.ts';

type ShareRequest = BodyOf<typeof mediaRoutes.shareCollection>;
type Permission = ShareRequest['permission'];
const batchSize = 100;
const paths = { user: 'target_uuid', group: 'target_uuid' };

/** Shares collections with groups and users, as viewers or editors. */
export function createCollectionShares({ db, outbox, people }: CollectionsDeps) {
  const audit = (
    tx: Tx,
    actor: Actor,
    action: 'collection_shared' | 'collection_unshared',
    { collection: { id, name, userId: owner }, share }: { collection: Collection; share: CollectionShare },
  ) => {
    const target = share.userId ? { user: share.userId } : { group: share.groupId ?? '' };
    const { permission } = share;
    return recordOperation(tx, outbox, actor, action, { collection: id, name, owner, ...target, permission });
  };

  const publishShared = (tx: Tx, { userId: sharedBy }: Actor, collection: Collection, share: CollectionShare) => {
    const { id: collectionId, userId: ownerId } = collection;
    const { userId, groupId } = share;
    return outbox.add(tx, mediaEvents.collectionShared, { collectionId, ownerId, sharedBy, userId, groupId });
  };

  return {
    list: async (caller: Caller, id: string): Promise<CollectionShareObject[]> => {
      await usableCollection(db, caller, id, 'own');
      const shares = await db.collectionShare.findMany({
        where: { collectionId: id },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      });
      const names = await people.names(shares.flatMap(({ userId }) => userId ?? []));
      return shares.map((share) => toCollectionShareObject(share, names));
    },

    share: async (actor: Actor, id: string, request: ShareRequest): Promise<CollectionShareObject> => {
      await usableCollection(db, actor, id, 'own');
      const { target_type: type, target_uuid: targetId, permission } = request;
      const target = type === 'user' ? { userId: targetId } : { groupId: targetId };
      await checkShareTarget({ db, people }, actor, { target, paths });
      const names = await people.names('userId' in target ? [target.userId] : []);
      return db.$transaction(async (tx) => {
        const collection = await lockedCollection(tx, actor, id, 'own');
        if ('userId' in target && target.userId === collection.userId)
          throw unknownTarget('target_uuid', 'owns the collection already');
        const isNew = (await tx.collectionShare.count({ where: { collectionId: id, ...target } })) === 0;
        const share = await setCollectionShare(tx, id, target, { permission, sharedBy: actor.userId });
        if (isNew) await publishShared(tx, actor, collection, share);
        await publishCollectionChange(tx, outbox, collection);
        await audit(tx, actor, 'collection_shared', { collection, share });
        return toCollectionShareObject(share, names);
      });
    },

    update: async (actor: Actor, id: string, shareId: string, permission: Permission) => {
      const updated = await db.$transaction(async (tx) => {
        const collection = await lockedCollection(tx, actor, id, 'own');
        const found = await tx.collectionShare.findFirst({ where: { id: shareId, collectionId: id } });
        if (!found) throw noSuchShare();
        const target = found.userId ? { userId: found.userId } : { groupId: found.groupId ?? '' };
        const share = await setCollectionShare(tx, id, target, { permission, sharedBy: actor.userId });
        await publishCollectionChange(tx, outbox, collection);
        await audit(tx, actor, 'collection_shared', { collection, share });
        return share;
      });
      return toCollectionShareObject(updated, await people.names(updated.userId ? [updated.userId] : []));
    },

    unshare: (actor: Actor, id: string, shareId: string): Promise<undefined> =>
      db.$transaction(async (tx) => {
        const collection = await lockedCollection(tx, actor, id, 'own');
        await publishCollectionChange(tx, outbox, collection);
        const share = await removeCollectionShare(tx, id, shareId);
        if (!share) throw noSuchShare();
        await audit(tx, actor, 'collection_unshared', { collection, share });
        return undefined;
      }),
  };
}

function noSuchShare(): AppError {
  return notFound('The collection is not shared like this.');
}

/** Publishes the access lists of files whose collections or their shares changed, in batches. */
export function createAccessPublisher({ db, outbox }: { db: Db; outbox: Outbox }) {
  return async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && (await db.$transaction((tx) => publishBatch(tx, outbox))) === batchSize);
  };
}

/** Other replicas skip the batch. The lists are read under the files' locks: the last one published is the current one. */
async function publishBatch(tx: Tx, outbox: Outbox): Promise<number> {
  const changes = await tx.$queryRaw<{ id: bigint; fileId: string }[]>`
    select id, media_file_id::text as "fileId" from access_change order by id limit ${batchSize} for update skip locked`;
  if (changes.length === 0) return 0;
  const changed = changes.map(({ fileId }) => fileId);
  // A deleted file has none: its deletion is an event of its own.
  const files = await tx.$queryRaw<{ id: string }[]>`
    select uuid::text as id from media_file where uuid = any(${changed}::uuid[]) order by uuid for update`;
  for (const { id } of files) await publishAccess(tx, outbox, id);
  await tx.accessChange.deleteMany({ where: { id: { in: changes.map(({ id }) => id) } } });
  return changes.length;
}
