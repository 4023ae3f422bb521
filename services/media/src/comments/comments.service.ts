import { commentLimits, mediaEvents, type BodyOf, type CommentThread, type mediaRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, forbidden, invalid } from '@overtone/service-kit';
import { permits } from '../access/access.ts';
import { lockedFile, type UsableFile } from '../access/access.store.ts';
import { auditAction, type Actor } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import { idsOf } from '../files/files.ts';
import type { TranscriptComment } from '../generated/client.ts';
import { checkNotHeld } from '../legal-hold/legal-hold.store.ts';
import { toMs } from './comments.ts';
import { noSuchComment, type CommentViews } from './comments.read-model.ts';
import { readersAmong } from './comments.store.ts';

type Routes = typeof mediaRoutes;
type Deps = { db: Db; outbox: Outbox; views: Pick<CommentViews, 'thread'> };

/** Every reader of a file may comment on it, reply, and resolve threads. */
export function createComments({ db, outbox, views }: Deps) {
  const notify = async (tx: Tx, file: UsableFile, comment: TranscriptComment, mentions: readonly string[]) => {
    const thread = comment.threadId ?? comment.id;
    const authors = await tx.transcriptComment.findMany({
      where: { OR: [{ id: thread }, { threadId: thread }] },
      distinct: ['authorId'],
      select: { authorId: true },
    });
    const others = [file.userId, ...authors.flatMap(({ authorId }) => authorId ?? [])];
    const followers = (await readersAmong(tx, file, others)).filter((id) => !mentions.includes(id));
    await outbox.add(tx, mediaEvents.commented, {
      ...idsOf(file),
      authorId: comment.authorId ?? file.userId,
      mentioned: [...mentions],
      followers,
    });
  };

  /** Changes comments of a file in a transaction, and answers with the changed thread. */
  const changing = async (
    actor: Actor,
    fileId: string,
    change: (tx: Tx, file: UsableFile) => Promise<string>,
  ): Promise<CommentThread> => {
    const threadId = await db.$transaction(async (tx) => {
      const file = await lockedFile(tx, actor, fileId, 'read');
      const changed = await change(tx, file);
      await outbox.add(tx, mediaEvents.commentsChanged, idsOf(file));
      return changed;
    });
    return views.thread(actor, fileId, threadId);
  };

  return {
    add: (actor: Actor, fileId: string, body: BodyOf<Routes['addComment']>) =>
      changing(actor, fileId, async (tx, file) => {
        await checkRoom(tx, fileId);
        const mentions = await checkMentions(tx, file, body.mentions);
        const comment = await tx.transcriptComment.create({
          data: {
            fileId,
            startMs: toMs(body.start_time),
            endMs: toMs(body.end_time),
            color: body.color,
            body: body.text,
            authorId: actor.userId,
            mentions,
          },
        });
        if (body.text !== '') await notify(tx, file, comment, mentions);
        return comment.id;
      }),

    reply: (actor: Actor, fileId: string, threadId: string, body: BodyOf<Routes['addReply']>) =>
      changing(actor, fileId, async (tx, file) => {
        await threadOf(tx, fileId, threadId);
        await checkRoom(tx, fileId);
        if ((await tx.transcriptComment.count({ where: { threadId } })) >= commentLimits.replies)
          throw conflict('thread_full', `A comment can have at most ${commentLimits.replies} replies.`);
        const mentions = await checkMentions(tx, file, body.mentions);
        const data = { fileId, threadId, body: body.text, authorId: actor.userId, mentions };
        await notify(tx, file, await tx.transcriptComment.create({ data }), mentions);
        return threadId;
      }),

    edit: (actor: Actor, fileId: string, id: string, body: BodyOf<Routes['editComment']>) =>
      changing(actor, fileId, async (tx, file) => {
        const before = await commentOf(tx, fileId, id);
        if (before.authorId !== actor.userId) throw forbidden('permission_required', 'Only its author may change it.');
        await checkNotHeld(tx, file, 'change comments');
        const color = before.threadId === null && body.color !== undefined ? body.color : before.color;
        const text = body.text ?? before.body;
        if (text === '' && color === null)
          throw invalid('invalid_body', 'A comment needs a text.', {
            errors: [{ path: 'text', message: 'must not be empty' }],
          });
        const isNewText = text !== before.body;
        const mentions = body.mentions ? await checkMentions(tx, file, body.mentions) : before.mentions;
        const comment = await tx.transcriptComment.update({
          where: { id },
          data: {
            color,
            body: text,
            mentions,
            ...(isNewText
              ? { editedAt: before.body === '' ? null : new Date(), redactions: [], redactionKey: null }
              : {}),
          },
        });
        const added = mentions.filter((person) => !before.mentions.includes(person));
        if (added.length > 0 || (before.body === '' && text !== '')) await notify(tx, file, comment, added);
        return before.threadId ?? id;
      }),

    resolve: (actor: Actor, fileId: string, id: string, resolved: boolean) =>
      changing(actor, fileId, async (tx) => {
        const thread = await threadOf(tx, fileId, id);
        const change = resolved
          ? { resolvedAt: new Date(), resolvedBy: actor.userId }
          : { resolvedAt: null, resolvedBy: null };
        if ((thread.resolvedAt !== null) !== resolved)
          await tx.transcriptComment.update({ where: { id }, data: change });
        return id;
      }),

    remove: (actor: Actor, fileId: string, id: string): Promise<void> =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, actor, fileId, 'read');
        const comment = await commentOf(tx, fileId, id);
        const isOwn = comment.authorId === actor.userId;
        if (!isOwn && !permits(file.permission, 'own'))
          throw forbidden('permission_required', 'Only its author and the owner of the file may delete it.');
        await checkNotHeld(tx, file, 'delete comments');
        await tx.transcriptComment.delete({ where: { id } });
        await outbox.add(tx, mediaEvents.commentsChanged, idsOf(file));
        const details = { author: comment.authorId ?? '' };
        if (!isOwn) await auditAction(tx, outbox, 'comment_deleted', { file, actor, details });
      }),
  };
}

async function commentOf(tx: Tx, fileId: string, id: string): Promise<TranscriptComment> {
  const comment = await tx.transcriptComment.findFirst({ where: { id, fileId } });
  if (!comment) throw noSuchComment();
  return comment;
}

async function threadOf(tx: Tx, fileId: string, id: string): Promise<TranscriptComment> {
  const comment = await commentOf(tx, fileId, id);
  if (comment.threadId !== null) throw noSuchComment();
  return comment;
}

/** Requires the file's lock, which excludes concurrent comments. */
async function checkRoom(tx: Tx, fileId: string): Promise<void> {
  if ((await tx.transcriptComment.count({ where: { fileId } })) >= commentLimits.comments)
    throw conflict('comments_full', `A recording can have at most ${commentLimits.comments} comments.`);
}

async function checkMentions(tx: Tx, file: UsableFile, wanted: readonly string[]): Promise<string[]> {
  const mentions = [...new Set(wanted)];
  if ((await readersAmong(tx, file, mentions)).length < mentions.length)
    throw invalid('person_cannot_read', 'A person who is mentioned may not read this recording.');
  return mentions;
}
