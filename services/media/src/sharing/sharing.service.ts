import { mediaEvents, roleAtLeast, type BodyOf, type mediaRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { invalid, notFound, type Caller } from '@overtone/service-kit';
import { auditAction, type Actor } from '../audit/audit.ts';
import { groupsOf, lockedFile, usableFile } from '../access/access.ts';
import { txOptions, type Db, type Tx } from '../database.ts';
import type { People } from '../ports/people.ts';
import {
  accessOf,
  targetOfShare,
  toShareObject,
  type Membership,
  type ShareObject,
  type ShareTarget,
} from './sharing.ts';
import { sharingStore as store } from './sharing.store.ts';

type ShareRequest = BodyOf<(typeof mediaRoutes)['share']>;
export type SharingDeps = { db: Db; outbox: Outbox; people: People };

/** Shares files with groups and users, as viewers or editors. */
export function createSharing({ db, outbox, people }: SharingDeps) {
  const publishAccess = async (tx: Tx, fileId: string): Promise<void> => {
    await outbox.add(tx, mediaEvents.accessChanged, accessOf(await store.incrementAccessVersion(tx, fileId)));
  };
  const removeAllShares = (
    target: ShareTarget,
    inSameTransaction: (tx: Tx) => Promise<unknown> = async () => undefined,
  ): Promise<void> =>
    db.$transaction(async (tx) => {
      for (const fileId of await store.removeAllWith(tx, target)) await publishAccess(tx, fileId);
      await inSameTransaction(tx);
    }, txOptions);

  /** @throws AppError when the user does not exist or the caller is not a member of the group. */
  const targetOf = async (caller: Caller, request: ShareRequest): Promise<ShareTarget> => {
    if (request.group_uuid !== undefined) {
      const isMember =
        roleAtLeast(caller.role, 'admin') || (await groupsOf(db, caller.userId)).includes(request.group_uuid);
      if (!isMember) throw unknownTarget('group_uuid', 'is not one of your groups');
      return { groupId: request.group_uuid };
    }
    const userId = request.user_uuid ?? '';
    if (!(await people.exists(userId))) throw unknownTarget('user_uuid', 'does not exist');
    return { userId };
  };

  return {
    list: async (caller: Caller, fileId: string): Promise<ShareObject[]> => {
      await usableFile(db, caller, fileId, 'own');
      const shares = await store.list(db, fileId);
      const names = await people.names(shares.flatMap(({ userId }) => userId ?? []));
      return shares.map((share) => toShareObject(share, names));
    },

    share: async (actor: Actor, fileId: string, request: ShareRequest): Promise<ShareObject> => {
      await usableFile(db, actor, fileId, 'own');
      const target = await targetOf(actor, request);
      const names = await people.names('userId' in target ? [target.userId] : []);
      return db.$transaction(async (tx) => {
        const file = await lockedFile(tx, actor, fileId, 'own');
        if ('userId' in target && target.userId === file.userId)
          throw unknownTarget('user_uuid', 'owns the file already');
        const isNew = !(await store.find(tx, fileId, target));
        const share = await store.set(tx, fileId, target, { permission: request.permission, sharedBy: actor.userId });
        await publishAccess(tx, fileId);
        const { userId, groupId, permission } = share;
        const ids = { fileId, ownerId: file.userId, sharedBy: actor.userId };
        if (isNew) await outbox.add(tx, mediaEvents.shared, { ...ids, userId, groupId });
        await auditAction(tx, outbox, 'file_shared', { file, actor, details: { ...targetOfShare(share), permission } });
        return toShareObject(share, names);
      }, txOptions);
    },

    unshare: (actor: Actor, fileId: string, shareId: string): Promise<undefined> =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, actor, fileId, 'own');
        const share = await store.remove(tx, fileId, shareId);
        if (!share) throw notFound('The file is not shared like this.');
        await publishAccess(tx, fileId);
        await auditAction(tx, outbox, 'file_unshared', { file, actor, details: targetOfShare(share) });
        return undefined;
      }, txOptions),

    setMembership: async (membership: Membership): Promise<void> => void (await store.setMembership(db, membership)),
    /** Loads all memberships, for those missed while the service was down; newer versions are kept. */
    loadMemberships: async (): Promise<void> => {
      for await (const membership of people.memberships()) await store.setMembership(db, membership);
    },
    forgetGroup: (groupId: string): Promise<void> => removeAllShares({ groupId }),
    forgetPerson: (userId: string): Promise<void> =>
      removeAllShares({ userId }, (tx) => store.removeMembership(tx, userId)),
  };
}

export type Sharing = ReturnType<typeof createSharing>;

function unknownTarget(path: string, message: string) {
  return invalid('invalid_body', 'The file cannot be shared like this.', { errors: [{ path, message }] });
}
