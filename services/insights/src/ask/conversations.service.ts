import type { AskMessage, askRoutes, BodyOf, ConversationItem, ConversationObject, QueryOf } from '@overtone/contracts';
import { notFound } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { MediaFiles } from '../ports/media-files.adapter.ts';
import type { People } from '../ports/people.adapter.ts';
import { noSuchConversation, ownerOnly, type Conversation, type Reader } from './ask.ts';
import {
  deleteConversationsOf,
  findConversation,
  insertConversation,
  isSharedWith,
  lockOwn,
  selectConversations,
  selectMessages,
} from './ask.store.ts';
import { visibleMessage, type ReadableFiles } from './visible.ts';

type Deps = { db: Db; media: MediaFiles; people: People };
type ListQuery = QueryOf<typeof askRoutes.listConversations>;
type NewConversation = BodyOf<typeof askRoutes.createConversation>;

/** Conversations as their owner and those they are shared with may read them. */
export function createConversations(deps: Deps) {
  const { db, media, people } = deps;
  const readable = async (reader: Reader, id: string): Promise<Conversation> => {
    const conversation = await findConversation(db, id);
    if (!conversation) throw noSuchConversation();
    if (conversation.userId === reader.userId) return conversation;
    const groupIds = await people.groupsOf(reader.userId);
    if (!(await isSharedWith(db, id, { userId: reader.userId, groupIds }))) throw noSuchConversation();
    return conversation;
  };
  const own = async (reader: Reader, id: string): Promise<Conversation> => {
    const conversation = await readable(reader, id);
    if (conversation.userId !== reader.userId) throw ownerOnly();
    return conversation;
  };
  const messages = async (reader: Reader, id: string): Promise<AskMessage[]> => {
    const rows = await selectMessages(db, id);
    const files = await readableFiles(
      media,
      reader,
      rows.flatMap(({ fileIds }) => fileIds),
    );
    return rows.map((row) => visibleMessage(row, files));
  };
  const read = async (reader: Reader, id: string): Promise<ConversationObject> => {
    const conversation = await readable(reader, id);
    const [[item], all] = await Promise.all([toItems(deps, reader, [conversation]), messages(reader, id)]);
    return { ...(item as ConversationItem), messages_total: all.length, messages: all };
  };
  return {
    readable,
    own,
    messages,
    read,
    list: async (reader: Reader, { page, page_size: size, scope, scope_uuid: scopeUuid }: ListQuery) => {
      const groupIds = await people.groupsOf(reader.userId);
      const filter = { scope: scope ?? null, scopeUuid: scopeUuid ?? null, offset: (page - 1) * size, limit: size };
      const { rows, total } = await selectConversations(db, { userId: reader.userId, groupIds }, filter);
      return { items: await toItems(deps, reader, rows), total, page, page_size: size };
    },
    create: async (
      reader: Reader,
      { scope, scope_uuid: scopeUuid, title }: NewConversation,
    ): Promise<ConversationObject> => {
      const name = (await scopeTitles(media, reader, [{ scope, scopeUuid }])).get(scopeUuid ?? '');
      if (scopeUuid !== null && name === undefined) throw notFound(`There is no such ${scope}.`);
      return read(
        reader,
        await insertConversation(db, { userId: reader.userId, title: title.trim(), scope, scopeUuid }),
      );
    },
    rename: async (reader: Reader, id: string, title: string): Promise<ConversationObject> => {
      await own(reader, id);
      await db.conversation.updateMany({ where: { id }, data: { title: title.trim() } });
      return read(reader, id);
    },
    delete: async (reader: Reader, id: string): Promise<undefined> => {
      await own(reader, id);
      await db.$transaction(async (tx) => {
        await lockOwn(tx, id, reader.userId);
        await tx.conversation.delete({ where: { id } });
      });
      return undefined;
    },
    deleteAll: ({ userId }: Reader): Promise<number> => deleteConversationsOf(db, userId),
  };
}

export type Conversations = ReturnType<typeof createConversations>;

async function readableFiles(media: MediaFiles, reader: Reader, fileIds: readonly string[]): Promise<ReadableFiles> {
  const wanted = [...new Set(fileIds)];
  return new Map((await media.access(wanted, reader)).map((file) => [file.fileId, file]));
}

/** Titles of files and collections that the reader may read, by id. */
async function scopeTitles(
  media: MediaFiles,
  reader: Reader,
  scopes: readonly Pick<Conversation, 'scope' | 'scopeUuid'>[],
): Promise<ReadonlyMap<string, string>> {
  const idsOf = (wanted: string): string[] => [
    ...new Set(scopes.flatMap(({ scope, scopeUuid }) => (scope === wanted && scopeUuid ? [scopeUuid] : []))),
  ];
  const [files, collections] = await Promise.all([
    readableFiles(media, reader, idsOf('file')),
    media.collectionNames(idsOf('collection'), reader),
  ]);
  return new Map([...[...files].map(([id, { title }]): [string, string] => [id, title]), ...collections]);
}

async function toItems(
  { media, people }: Deps,
  reader: Reader,
  conversations: readonly Conversation[],
): Promise<ConversationItem[]> {
  const [titles, names] = await Promise.all([
    scopeTitles(media, reader, conversations),
    people.names(conversations.flatMap(({ userId }) => (userId === reader.userId ? [] : [userId]))),
  ]);
  return conversations.map(({ id, userId, title, scope, scopeUuid, messagesTotal, createdAt, updatedAt }) => ({
    uuid: id,
    title,
    scope,
    scope_uuid: scopeUuid,
    scope_title: titles.get(scopeUuid ?? '') ?? null,
    is_owner: userId === reader.userId,
    owner_name: userId === reader.userId ? null : (names.get(userId) ?? null),
    messages_total: messagesTotal,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  }));
}
