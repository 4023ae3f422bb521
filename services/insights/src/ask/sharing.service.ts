import type { askRoutes, BodyOf, ConversationShare } from '@overtone/contracts';
import { invalid, notFound } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { ConversationShare as Share } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';
import { ownerOnly, type Reader } from './ask.ts';
import { lockOwn } from './ask.store.ts';
import type { Conversations } from './conversations.service.ts';

type Deps = { db: Db; people: People; conversations: Pick<Conversations, 'own' | 'readable'> };
type ShareRequest = BodyOf<typeof askRoutes.shareConversation>;
type Target = { userId: string; groupId: null } | { userId: null; groupId: string };

/** A share lets others read a conversation; what they see of its answers depends on their own rights to the recordings. */
export function createConversationSharing({ db, people, conversations }: Deps) {
  return {
    list: async (reader: Reader, id: string): Promise<ConversationShare[]> => {
      await conversations.own(reader, id);
      const shares = await db.conversationShare.findMany({
        where: { conversationId: id },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      });
      const names = await people.names(shares.flatMap(({ userId }) => userId ?? []));
      return shares.map((share) => toObject(share, names));
    },

    share: async (reader: Reader, id: string, request: ShareRequest): Promise<ConversationShare> => {
      await conversations.own(reader, id);
      const target = await targetOf(people, reader, request);
      const share = await db.$transaction(async (tx) => {
        await lockOwn(tx, id, reader.userId);
        const found = await tx.conversationShare.findFirst({ where: { conversationId: id, ...target } });
        return (
          found ??
          (await tx.conversationShare.create({ data: { conversationId: id, ...target, sharedBy: reader.userId } }))
        );
      });
      return toObject(share, await people.names(target.userId === null ? [] : [target.userId]));
    },

    unshare: async (reader: Reader, id: string, shareId: string): Promise<undefined> => {
      const { userId } = await conversations.readable(reader, id);
      const share = await db.conversationShare.findFirst({ where: { id: shareId, conversationId: id } });
      if (!share) throw notFound('The conversation is not shared like this.');
      if (userId !== reader.userId && share.userId !== reader.userId) throw ownerOnly();
      await db.conversationShare.deleteMany({ where: { id: shareId } });
      return undefined;
    },
  };
}

export type ConversationSharing = ReturnType<typeof createConversationSharing>;

/** Also administrators share with groups of their own only. @throws AppError for an unknown person or another group. */
async function targetOf(
  people: People,
  { userId: callerId }: Reader,
  { group_uuid: groupId, user_uuid: userId }: ShareRequest,
): Promise<Target> {
  if (groupId !== undefined) {
    if (!(await people.groupsOf(callerId)).includes(groupId))
      throw unknownTarget('group_uuid', 'is not one of your groups');
    return { groupId, userId: null };
  }
  if (userId === undefined || !(await people.exists(userId))) throw unknownTarget('user_uuid', 'does not exist');
  if (userId === callerId) throw unknownTarget('user_uuid', 'owns the conversation already');
  return { userId, groupId: null };
}

function unknownTarget(path: string, message: string) {
  return invalid('invalid_body', 'The conversation cannot be shared like this.', { errors: [{ path, message }] });
}

function toObject(share: Share, names: ReadonlyMap<string, string>): ConversationShare {
  return {
    uuid: share.id,
    group_uuid: share.groupId,
    user_uuid: share.userId,
    user_name: names.get(share.userId ?? '') ?? null,
    shared_by: share.sharedBy,
    created_at: share.createdAt.toISOString(),
  };
}
