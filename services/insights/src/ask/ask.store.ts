import type { AskScope } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import { noSuchConversation, ownerOnly, type Conversation, type Scope } from './ask.ts';
import type { Message } from './visible.ts';

/** A reader of conversations with the groups that a share may name. */
export type ShareReader = { userId: string; groupIds: readonly string[] };
type ConversationFilter = { scope: AskScope | null; scopeUuid: string | null; offset: number; limit: number };

const columns = Prisma.sql`
  c.uuid::text as id, c.user_id::text as "userId", c.title, c.scope, c.scope_uuid::text as "scopeUuid",
  c.created_at as "createdAt", c.updated_at as "updatedAt",
  (select count(*)::int from conversation_message m where m.conversation_id = c.uuid) as "messagesTotal"`;

function readableBy({ userId, groupIds }: ShareReader): Prisma.Sql {
  return Prisma.sql`(c.user_id = ${userId}::uuid or exists (
    select from conversation_share s where s.conversation_id = c.uuid
      and (s.user_id = ${userId}::uuid or s.group_id = any(${groupIds}::uuid[]))))`;
}

export async function selectConversations(
  db: Db,
  reader: ShareReader,
  { scope, scopeUuid, offset, limit }: ConversationFilter,
): Promise<{ rows: Conversation[]; total: number }> {
  const where = Prisma.sql`${readableBy(reader)} and (${scope}::text is null or c.scope = ${scope})
    and (${scopeUuid}::uuid is null or c.scope_uuid = ${scopeUuid}::uuid)`;
  const [rows, counted] = await Promise.all([
    db.$queryRaw<Conversation[]>`
      select ${columns} from conversation c where ${where}
      order by c.updated_at desc, c.uuid offset ${offset} limit ${limit}`,
    db.$queryRaw<{ total: number }[]>`select count(*)::int as total from conversation c where ${where}`,
  ]);
  return { rows, total: counted[0]?.total ?? 0 };
}

export async function findConversation(db: Db | Tx, id: string): Promise<Conversation | null> {
  const rows = await db.$queryRaw<Conversation[]>`select ${columns} from conversation c where c.uuid = ${id}::uuid`;
  return rows[0] ?? null;
}

/** Whether a share names the reader. */
export async function isSharedWith(db: Db, id: string, { userId, groupIds }: ShareReader): Promise<boolean> {
  const where = { conversationId: id, OR: [{ userId }, { groupId: { in: [...groupIds] } }] };
  return (await db.conversationShare.count({ where })) > 0;
}

export async function insertConversation(
  db: Db,
  { userId, title, scope, scopeUuid }: Scope & { userId: string; title: string },
): Promise<string> {
  return (await db.conversation.create({ data: { userId, title, scope, scopeUuid }, select: { id: true } })).id;
}

/** @returns how many were deleted. */
export async function deleteConversationsOf(db: Db | Tx, userId: string): Promise<number> {
  return (await db.conversation.deleteMany({ where: { userId } })).count;
}

/** The conversation, locked. @throws AppError for all but its owner. */
export async function lockOwn(tx: Tx, id: string, userId: string): Promise<void> {
  const rows = await tx.$queryRaw<{ userId: string }[]>`
    select user_id::text as "userId" from conversation where uuid = ${id}::uuid for update`;
  if (!rows[0]) throw noSuchConversation();
  if (rows[0].userId !== userId) throw ownerOnly();
}

type MessageRow = Message & { position: number };

/** In the order of the questions. A question whose replica stopped counts as failed. */
export function selectMessages(db: Db | Tx, conversationId: string): Promise<MessageRow[]> {
  return db.$queryRaw<MessageRow[]>`
    select uuid::text as id, position, question, made_by as "madeBy", provider, model, sentences, citations,
      file_ids::text[] as "fileIds", masks, search_partial as "searchPartial", asked_at as "askedAt", answered_at as "answeredAt",
      case when status = 'answering' and lease_until < now() then 'failed' else status end as status,
      case when status = 'answering' and lease_until < now() then 'answer_interrupted' else error_code end as "errorCode"
    from conversation_message where conversation_id = ${conversationId}::uuid order by position`;
}
