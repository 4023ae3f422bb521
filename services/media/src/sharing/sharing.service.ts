import { mediaEvents, roleAtLeast, type BodyOf, type mediaRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { invalid, notFound, type Caller } from '@overtone/service-kit';
import { auditAction, type Actor } from '../audit/audit.ts';
import { groupsOf, lockedFile, usableFile } from '../access/access.ts';
import { txOptions, type Db, type Tx } from '../database.ts';
import type { People } from '../ports/people.ts';
import { accessOf, targetOfShare, toShareObject, type Membership, type ShareObject, type With } from './sharing.ts';
import { sharingStore as store } from './sharing.store.ts';

type Wanted = BodyOf<(typeof mediaRoutes)['share']>;
export type SharingDeps = { db: Db; outbox: Outbox; people: People };

/** Files for more than their owner: shared with groups and persons, for reading or for correcting too. */
export const createSharing = ({ db, outbox, people }: SharingDeps) => {
  const tell = async (tx: Tx, fileId: string): Promise<void> => {
    await outbox.add(tx, mediaEvents.accessChanged, accessOf(await store.countAccess(tx, fileId)));
  };
  const endAllWith = (whom: With, also: (tx: Tx) => Promise<unknown> = async () => undefined): Promise<void> =>
    db.$transaction(async (tx) => {
      for (const fileId of await store.removeAllWith(tx, whom)) await tell(tx, fileId);
      await also(tx);
    }, txOptions);

  /** @throws AppError when there is nobody to share with, or no group that is the caller's to share with. */
  const targetOf = async (caller: Caller, wanted: Wanted): Promise<With> => {
    if (wanted.group_uuid !== undefined) {
      const mine = roleAtLeast(caller.role, 'admin') || (await groupsOf(db, caller.userId)).includes(wanted.group_uuid);
      if (!mine) throw unknownTarget('group_uuid', 'is no group you are in');
      return { groupId: wanted.group_uuid };
    }
    const userId = wanted.user_uuid ?? '';
    if (!(await people.exists(userId))) throw unknownTarget('user_uuid', 'is nobody here');
    return { userId };
  };

  return {
    list: async (caller: Caller, fileId: string): Promise<ShareObject[]> => {
      await usableFile(db, caller, fileId, 'own');
      const shares = await store.list(db, fileId);
      const names = await people.names(shares.flatMap(({ userId }) => userId ?? []));
      return shares.map((share) => toShareObject(share, names));
    },

    share: async (actor: Actor, fileId: string, wanted: Wanted): Promise<ShareObject> => {
      await usableFile(db, actor, fileId, 'own');
      const whom = await targetOf(actor, wanted);
      const names = await people.names('userId' in whom ? [whom.userId] : []);
      return db.$transaction(async (tx) => {
        const file = await lockedFile(tx, actor, fileId, 'own');
        if ('userId' in whom && whom.userId === file.userId) throw unknownTarget('user_uuid', 'owns the file already');
        const isNew = !(await store.find(tx, fileId, whom));
        const share = await store.set(tx, fileId, whom, { permission: wanted.permission, sharedBy: actor.userId });
        await tell(tx, fileId);
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
        await tell(tx, fileId);
        await auditAction(tx, outbox, 'file_unshared', { file, actor, details: targetOfShare(share) });
        return undefined;
      }, txOptions),

    setMembership: async (membership: Membership): Promise<void> => void (await store.setMembership(db, membership)),
    /** What was missed while nobody listened; newer news are kept. */
    learnMemberships: async (): Promise<void> => {
      for await (const membership of people.memberships()) await store.setMembership(db, membership);
    },
    forgetGroup: (groupId: string): Promise<void> => endAllWith({ groupId }),
    forgetPerson: (userId: string): Promise<void> => endAllWith({ userId }, (tx) => store.removeMembership(tx, userId)),
  };
};
export type Sharing = ReturnType<typeof createSharing>;

const unknownTarget = (path: string, message: string) =>
  invalid('invalid_body', 'The file cannot be shared like this.', { errors: [{ path, message }] });
