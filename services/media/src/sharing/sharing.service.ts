import {
  mediaEvents,
  type BodyOf,
  type DataOf,
  type FileObject,
  type identityEvents,
  type mediaRoutes,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { notFound, type Caller } from '@overtone/service-kit';
import { lockedFile, usableFile } from '../access/access.store.ts';
import { auditAction, noClient, recordOperation, type Actor } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import { idsOf } from '../files/files.ts';
import type { People } from '../ports/people.adapter.ts';
import { targetOfShare, toShareObject, type Membership, type ShareObject, type ShareTarget } from './sharing.ts';
import {
  checkShareTarget,
  publishAccess,
  removeMembership,
  removeShare,
  removeSharesWith,
  selectShares,
  setMembership,
  setShare,
  unknownTarget,
} from './sharing.store.ts';
import { deleteLinksOf } from '../public-links/public-links.store.ts';
import { deleteProfiles, eraseVoicesOf } from '../voices/voices.store.ts';

type ShareRequest = BodyOf<(typeof mediaRoutes)['share']>;
const paths = { user: 'user_uuid', group: 'group_uuid' };
export type SharingDeps = { db: Db; outbox: Outbox; people: People };

export function createSharing({ db, outbox, people }: SharingDeps) {
  return {
    list: async (caller: Caller, fileId: string): Promise<ShareObject[]> => {
      await usableFile(db, caller, fileId, 'own');
      const shares = await selectShares(db, fileId);
      const names = await people.names(shares.flatMap(({ userId }) => userId ?? []));
      return shares.map((share) => toShareObject(share, names));
    },

    share: async (actor: Actor, fileId: string, request: ShareRequest): Promise<ShareObject> => {
      await usableFile(db, actor, fileId, 'own');
      const target = targetOf(request);
      await checkShareTarget({ db, people }, actor, { target, paths });
      const names = await people.names('userId' in target ? [target.userId] : []);
      return db.$transaction(async (tx) => {
        const file = await lockedFile(tx, actor, fileId, 'own');
        if ('userId' in target && target.userId === file.userId)
          throw unknownTarget('user_uuid', 'owns the file already');
        const change = { permission: request.permission, sharedBy: actor.userId };
        const { share, isNew } = await setShare(tx, fileId, target, change);
        await publishAccess(tx, outbox, fileId);
        const { userId, groupId, permission } = share;
        const shared = { ...idsOf(file), sharedBy: actor.userId, userId, groupId };
        if (isNew) await outbox.add(tx, mediaEvents.shared, shared);
        // The pages of those who had another permission show the new one.
        else await outbox.add(tx, mediaEvents.updated, { ...idsOf(file), status: file.status as FileObject['status'] });
        await auditAction(tx, outbox, 'file_shared', { file, actor, details: { ...targetOfShare(share), permission } });
        return toShareObject(share, names);
      });
    },

    unshare: (actor: Actor, fileId: string, shareId: string): Promise<undefined> =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, actor, fileId, 'own');
        const share = await removeShare(tx, fileId, shareId);
        if (!share) throw notFound('The file is not shared like this.');
        await publishAccess(tx, outbox, fileId);
        await auditAction(tx, outbox, 'file_unshared', { file, actor, details: targetOfShare(share) });
        return undefined;
      }),
  };
}

export type Sharing = ReturnType<typeof createSharing>;

function targetOf({ group_uuid: groupId, user_uuid: userId = '' }: ShareRequest): ShareTarget {
  return groupId === undefined ? { userId } : { groupId };
}

/** Keeps group members and shares in step with identity. */
export function createMemberships({ db, outbox, people }: SharingDeps) {
  const removeShares = async (tx: Tx, target: ShareTarget): Promise<void> => {
    for (const fileId of await removeSharesWith(tx, target)) await publishAccess(tx, outbox, fileId);
  };
  return {
    set: (membership: Membership): Promise<void> => setMembership(db, membership),
    /** Loads all memberships, for those missed while the service was down; newer versions are kept. */
    loadAll: async (): Promise<void> => {
      for await (const membership of people.memberships()) await setMembership(db, membership);
    },
    removeGroup: ({ groupId, deletedBy }: DataOf<typeof identityEvents.groupDeleted>): Promise<void> =>
      db.$transaction(async (tx) => {
        await removeShares(tx, { groupId });
        const profiles = await deleteProfiles(tx, outbox, { where: { groupId }, recordingsOf: null });
        if (deletedBy === undefined) return;
        const actor = { userId: deletedBy, client: noClient };
        for (const { id: profile, name } of profiles)
          await recordOperation(tx, outbox, actor, 'speaker_profile_deleted', { profile, name, group: groupId });
      }),
    removeUser: (userId: string): Promise<void> =>
      db.$transaction(async (tx) => {
        await removeShares(tx, { userId });
        await eraseVoicesOf(tx, outbox, userId);
        await deleteLinksOf(tx, userId);
        await removeMembership(tx, userId);
      }),
  };
}
