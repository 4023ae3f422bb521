import { askLimits, type FileMasks } from '@overtone/contracts';
import { conflict, rateLimited } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import { leaseSeconds, noSuchConversation, titleOf, type Attempt, type Outcome } from './ask.ts';
import { selectMessages } from './ask.store.ts';
import type { Citation } from './citations.ts';

/** Stores a question as being answered. Requires the conversation's lock. @throws AppError when a limit is reached. */
export async function insertQuestion(
  tx: Tx,
  { conversationId, userId, question }: { conversationId: string; userId: string; question: string },
): Promise<Attempt> {
  const messages = await selectMessages(tx, conversationId);
  if (messages.length >= askLimits.messages)
    throw conflict('conversation_full', `A conversation has at most ${askLimits.messages} questions.`);
  if (messages.some(({ status }) => status === 'answering')) throw inProgress();
  await requireCapacity(tx, userId);
  const rows = await tx.$queryRaw<{ id: string; attempt: number }[]>`
    insert into conversation_message (conversation_id, position, asked_by, question, status, lease_until)
    values (${conversationId}::uuid, ${(messages.at(-1)?.position ?? 0) + 1}, ${userId}::uuid, ${question}, 'answering',
      now() + make_interval(secs => ${leaseSeconds}))
    returning uuid::text as id, attempt`;
  const { id, attempt } = rows[0] as { id: string; attempt: number };
  await tx.$executeRaw`
    update conversation set updated_at = now(), title = case when title = '' then ${titleOf(question)} else title end
    where uuid = ${conversationId}::uuid`;
  return { conversationId, messageId: id, attempt, question };
}

/** Begins another attempt at a question without an answer. Requires the conversation's lock. */
export async function reopenQuestion(
  tx: Tx,
  { conversationId, messageId, userId }: { conversationId: string; messageId: string; userId: string },
): Promise<Attempt> {
  const messages = await selectMessages(tx, conversationId);
  const message = messages.find(({ id }) => id === messageId);
  if (!message) throw noSuchConversation();
  if (messages.some(({ status }) => status === 'answering')) throw inProgress();
  if (message.status === 'answered') throw conflict('answer_complete', 'The question has an answer.');
  await requireCapacity(tx, userId);
  const rows = await tx.$queryRaw<{ attempt: number }[]>`
    update conversation_message set status = 'answering', attempt = attempt + 1, error_code = null, made_by = null,
      provider = null, model = null, sentences = '[]', citations = '[]', file_ids = '{}', owner_ids = '{}', masks = '{}',
      answered_at = null, attempted_at = now(), lease_until = now() + make_interval(secs => ${leaseSeconds})
    where uuid = ${messageId}::uuid returning attempt`;
  return { conversationId, messageId, attempt: rows[0]?.attempt ?? 0, question: message.question };
}

function inProgress() {
  return conflict('answer_in_progress', 'The conversation is being answered. Wait for the answer first.');
}

/** One person's questions in all conversations. Concurrent requests of one person wait for each other. */
async function requireCapacity(tx: Tx, userId: string): Promise<void> {
  await tx.$queryRaw`select pg_advisory_xact_lock(hashtextextended(${`ask ${userId}`}, 0))::text`;
  const rows = await tx.$queryRaw<{ recent: number; open: number; wait: number }[]>`
    select (count(*) filter (where attempted_at > now() - interval '1 minute'))::int as recent,
      (count(*) filter (where status = 'answering' and lease_until >= now()))::int as open,
      coalesce(ceil(extract(epoch from min(attempted_at) filter (where attempted_at > now() - interval '1 minute')
        + interval '1 minute' - now())), 1)::int as wait
    from conversation_message where asked_by = ${userId}::uuid
      and (attempted_at > now() - interval '1 minute' or status = 'answering')`;
  const { recent = 0, open = 0, wait = 1 } = rows[0] ?? {};
  if (open >= askLimits.atOnce)
    throw rateLimited('rate_limited', 'Other questions of yours are being answered.', { retryAfterSeconds: 5 });
  if (recent >= askLimits.perMinute)
    throw rateLimited('rate_limited', 'You ask very quickly. Wait a moment.', { retryAfterSeconds: Math.max(1, wait) });
}

/** @returns false when the attempt was replaced, removed or deleted. */
export async function renewLease(db: Db, { messageId, attempt }: Attempt): Promise<boolean> {
  const count = await db.$executeRaw`
    update conversation_message set lease_until = now() + make_interval(secs => ${leaseSeconds})
    where uuid = ${messageId}::uuid and attempt = ${attempt} and status = 'answering'`;
  return count > 0;
}

/**
 * Stores which recordings the answer will rest on, before their text is read: when more of one is masked or one is deleted
 * from now on, the answer is removed. Until then it is hidden by what is masked in them now.
 * @returns false when the attempt was replaced, removed or deleted.
 */
export async function recordEvidence(
  db: Db,
  { messageId, attempt }: Attempt,
  files: readonly { fileId: string; ownerId: string; masks: FileMasks }[],
): Promise<boolean> {
  const [fileIds, ownerIds] = [files.map(({ fileId }) => fileId), files.map(({ ownerId }) => ownerId)];
  const masks = JSON.stringify(Object.fromEntries(files.map((file) => [file.fileId, file.masks])));
  const count = await db.$executeRaw`
    update conversation_message set masks = masks || ${masks}::jsonb,
      file_ids = array(select distinct unnest(file_ids || ${fileIds}::uuid[])),
      owner_ids = array(select distinct unnest(owner_ids || ${ownerIds}::uuid[]))
    where uuid = ${messageId}::uuid and attempt = ${attempt} and status = 'answering'`;
  return count > 0;
}

/** Adds the recordings of the earlier answers that may be sent along, as `recordEvidence` does. */
export async function inheritEvidence(
  db: Db,
  { conversationId, messageId, attempt }: Attempt,
  turns: number,
): Promise<void> {
  await db.$executeRaw`
    with earlier as (
      select m.file_ids, m.owner_ids, m.masks, m.position from conversation_message m
      where m.conversation_id = ${conversationId}::uuid
        and m.position < (select position from conversation_message where uuid = ${messageId}::uuid)
      order by m.position desc limit ${turns})
    update conversation_message set
      -- The latest: those that were made while less was masked have been removed.
      masks = coalesce(
        (select jsonb_object_agg(m.key, m.value order by e.position) from earlier e, jsonb_each(e.masks) m), '{}'),
      file_ids = array(select distinct unnest(e.file_ids) from earlier e),
      owner_ids = array(select distinct unnest(e.owner_ids) from earlier e)
    where uuid = ${messageId}::uuid and attempt = ${attempt} and status = 'answering'`;
}

/** @returns false when the attempt was replaced, removed or deleted: its answer is dropped. */
export async function storeOutcome(db: Db, { messageId, attempt }: Attempt, outcome: Outcome): Promise<boolean> {
  const { status, madeBy, provider, model, sentences, citations, searchPartial, errorCode } = outcome;
  const count = await db.$executeRaw`
    update conversation_message set status = ${status}, made_by = ${madeBy}, provider = ${provider}, model = ${model},
      sentences = ${JSON.stringify(sentences)}::jsonb, citations = ${JSON.stringify(citations)}::jsonb,
      search_partial = ${searchPartial}, error_code = ${errorCode}, lease_until = null, answered_at = now()
    where uuid = ${messageId}::uuid and attempt = ${attempt} and status = 'answering'`;
  return count > 0;
}

/** The stored citations of answers that rest on a file. */
export function selectCitations(db: Db, fileId: string): Promise<{ id: string; citations: Citation[] }[]> {
  return db.$queryRaw`
    select uuid::text as id, citations from conversation_message
    where file_ids @> array[${fileId}::uuid] and status = 'answered' and citations <> '[]'`;
}

export async function storeCitations(db: Db, id: string, citations: readonly Citation[]): Promise<void> {
  await db.$executeRaw`
    update conversation_message set citations = ${JSON.stringify(citations)}::jsonb
    where uuid = ${id}::uuid and status = 'answered'`;
}

/** Removes the answers that rest on a file, on files of an owner, or on any file. Questions are kept. */
export async function removeAnswers(
  db: Db | Tx,
  { fileId, ownerId }: { fileId: string | null; ownerId: string | null },
): Promise<number> {
  const concerned =
    fileId !== null
      ? Prisma.sql`file_ids @> array[${fileId}::uuid]`
      : ownerId !== null
        ? Prisma.sql`owner_ids @> array[${ownerId}::uuid]`
        : Prisma.sql`file_ids <> '{}'`;
  return db.$executeRaw`
    update conversation_message set status = 'removed', sentences = '[]', citations = '[]', file_ids = '{}', owner_ids = '{}', masks = '{}',
      made_by = null, provider = null, model = null, error_code = null, lease_until = null
    where ${concerned}`;
}
