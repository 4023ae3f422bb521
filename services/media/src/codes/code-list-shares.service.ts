import type { BodyOf, mediaRoutes } from '@overtone/contracts';
import { notFound, type Caller } from '@overtone/service-kit';
import { recordOperation, type Actor } from '../audit/audit.ts';
import { toCollectionShareObject, type CollectionShareObject } from '../collections/collections.ts';
import type { Tx } from '../database.ts';
import type { CodeList, CodeListShare } from '../generated/client.ts';
import { checkShareTarget, unknownTarget } from '../sharing/sharing.store.ts';
import type { CodesDeps } from './code-lists.service.ts';
import { lockedCodeList, publishCodeListChange, setCodeListShare, usableCodeList } from './codes.store.ts';

type ShareRequest = BodyOf<typeof mediaRoutes.shareCodeList>;
const paths = { user: 'target_uuid', group: 'target_uuid' };

/** Shares lists of codes with groups and users, as viewers or editors, by the rules of collections. */
export function createCodeListShares({ db, outbox, people }: CodesDeps) {
  const audit = (
    tx: Tx,
    actor: Actor,
    action: 'code_list_shared' | 'code_list_unshared',
    { list: { id, name, userId: owner }, share }: { list: CodeList; share: CodeListShare },
  ) => {
    const target = share.userId ? { user: share.userId } : { group: share.groupId ?? '' };
    return recordOperation(tx, outbox, actor, action, {
      list: id,
      name,
      owner,
      ...target,
      permission: share.permission,
    });
  };

  return {
    list: async (caller: Caller, id: string): Promise<CollectionShareObject[]> => {
      await usableCodeList(db, caller, id, 'own');
      const shares = await db.codeListShare.findMany({
        where: { listId: id },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      });
      const names = await people.names(shares.flatMap(({ userId }) => userId ?? []));
      return shares.map((share) => toCollectionShareObject(share, names));
    },

    share: async (actor: Actor, id: string, request: ShareRequest): Promise<CollectionShareObject> => {
      await usableCodeList(db, actor, id, 'own');
      const { target_type: type, target_uuid: targetId, permission } = request;
      const target = type === 'user' ? { userId: targetId } : { groupId: targetId };
      await checkShareTarget({ db, people }, actor, { target, paths });
      const names = await people.names('userId' in target ? [target.userId] : []);
      return db.$transaction(async (tx) => {
        const list = await lockedCodeList(tx, actor, id, 'own');
        if ('userId' in target && target.userId === list.userId)
          throw unknownTarget('target_uuid', 'owns the list already');
        const share = await setCodeListShare(tx, id, target, { permission, sharedBy: actor.userId });
        await publishCodeListChange(tx, outbox, list);
        await audit(tx, actor, 'code_list_shared', { list, share });
        return toCollectionShareObject(share, names);
      });
    },

    unshare: (actor: Actor, id: string, shareId: string): Promise<undefined> =>
      db.$transaction(async (tx) => {
        const list = await lockedCodeList(tx, actor, id, 'own');
        const share = await tx.codeListShare.findFirst({ where: { id: shareId, listId: id } });
        if (!share) throw notFound('The list is not shared like this.');
        await publishCodeListChange(tx, outbox, list);
        await tx.codeListShare.delete({ where: { id: shareId } });
        await audit(tx, actor, 'code_list_unshared', { list, share });
        return undefined;
      }),
  };
}
