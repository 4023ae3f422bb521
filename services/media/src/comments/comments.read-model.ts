import type { CommentObject, CommentThread, HighlightColor } from '@overtone/contracts';
import { maskText, withheldText } from '@overtone/redaction';
import { notFound, type AppError, type Caller } from '@overtone/service-kit';
import { permits } from '../access/access.ts';
import { usableFile, type UsableFile } from '../access/access.store.ts';
import type { Db } from '../database.ts';
import type { TranscriptComment } from '../generated/client.ts';
import type { NamesModel } from '../ports/names-model.adapter.ts';
import type { People } from '../ports/people.adapter.ts';
import { maskedSpans, noMask, type Mask } from '../redaction/redaction.ts';
import { isWithheld, maskFor } from '../redaction/redaction.store.ts';
import { readSegmentsAt } from '../transcripts/transcripts.store.ts';
import { quoteOf } from './comments.ts';
import { scanComments, selectComments, selectReaders, type CommentSpans } from './comments.store.ts';

export type CommentViewDeps = { db: Db; people: Pick<People, 'names'>; names: Pick<NamesModel, 'find'> };
/** How the comments of a file are shown to a reader. */
type Shown = { caller: Caller; file: UsableFile; mask: Mask; spans: CommentSpans; names: ReadonlyMap<string, string> };
type Masks = Pick<Shown, 'mask' | 'spans'>;
type Anchored = TranscriptComment & { startMs: number; endMs: number };

const maxReaders = 200;

export function noSuchComment(): AppError {
  return notFound('There is no such comment.');
}

/** Comments as their reader may see them. */
export function createCommentViews({ db, people, names: namesModel }: CommentViewDeps) {
  /** While the transcript is not scanned, it is unknown what of it comments repeat: they are withheld with it. */
  const findSpans = async (file: UsableFile, rows: TranscriptComment[], mask: Mask): Promise<CommentSpans> =>
    (await isWithheld(db, file.id, mask)) ? new Map() : scanComments(db, namesModel, file, rows);

  const maskedBy = async (caller: Caller, file: UsableFile, rows: TranscriptComment[]): Promise<Masks> => {
    const mask = await maskFor(db, caller, file);
    return { mask, spans: mask.kinds.size > 0 ? await findSpans(file, rows, mask) : new Map() };
  };

  const show = async (caller: Caller, file: UsableFile, rows: TranscriptComment[]): Promise<CommentThread[]> => {
    const { mask, spans } = await maskedBy(caller, file, rows);
    const ids = rows.flatMap((row) => [row.authorId, row.resolvedBy, ...row.mentions]).filter((id) => id !== null);
    const shown = { caller, file, mask, spans, names: await people.names(ids) };
    const threads = rows.filter(isAnchored);
    const passages = await readSegmentsAt(db, file.id, threads, mask);
    const replies = Map.groupBy(rows, ({ threadId }) => threadId);
    return threads.map((thread) => ({
      ...toComment(thread, shown),
      start_time: thread.startMs / 1000,
      end_time: thread.endMs / 1000,
      quote: quoteOf(passages, thread),
      color: thread.color as HighlightColor | null,
      resolved: thread.resolvedAt && {
        at: thread.resolvedAt.toISOString(),
        by: shown.names.get(thread.resolvedBy ?? '') ?? null,
      },
      replies: (replies.get(thread.id) ?? []).map((reply) => toComment(reply, shown)),
    }));
  };

  return {
    show,

    /**
     * Whether the caller reads a text in a comment. A match in or across a masked part is none: what is masked could be guessed
     * by searching for it, and so could what its placeholder replaces.
     */
    readerOf: async (caller: Caller, file: UsableFile, rows: TranscriptComment[]) => {
      const { mask, spans } = await maskedBy(caller, file, rows);
      return (row: TranscriptComment, text: string): boolean => {
        if (row.authorId === caller.userId || mask.kinds.size === 0) return true;
        const found = spans.get(row.id);
        const wanted = text.toLowerCase();
        return shownParts(row.body, found ? maskedSpans(found, mask) : null).some((part) =>
          part.toLowerCase().includes(wanted),
        );
      };
    },

    list: async (caller: Caller, fileId: string): Promise<{ threads: CommentThread[] }> => {
      const file = await usableFile(db, caller, fileId, 'read');
      return { threads: await show(caller, file, await selectComments(db, fileId)) };
    },

    /** @throws AppError not_found when it was deleted since. */
    thread: async (caller: Caller, fileId: string, id: string): Promise<CommentThread> => {
      const file = await usableFile(db, caller, fileId, 'read');
      const [thread] = await show(caller, file, await selectComments(db, fileId, id));
      if (!thread) throw noSuchComment();
      return thread;
    },

    people: async (caller: Caller, fileId: string) => {
      const file = await usableFile(db, caller, fileId, 'read');
      const ids = (await selectReaders(db, file, maxReaders)).filter((id) => id !== caller.userId);
      const names = await people.names(ids);
      return [...names]
        .map(([uuid, name]) => ({ uuid, name }))
        .toSorted((left, right) => left.name.localeCompare(right.name));
    },
  };
}

export type CommentViews = ReturnType<typeof createCommentViews>;

function isAnchored(row: TranscriptComment): row is Anchored {
  return row.startMs !== null && row.endMs !== null;
}

function toComment(row: TranscriptComment, { caller, file, mask, spans, names }: Shown): CommentObject {
  const isOwn = row.authorId === caller.userId;
  const nameOf = (id: string) => ({ uuid: id, name: names.get(id) ?? null });
  return {
    uuid: row.id,
    author: row.authorId === null ? null : nameOf(row.authorId),
    // People see what they wrote themselves.
    ...maskedBody(row, isOwn ? noMask : mask, spans),
    mentions: row.mentions.map(nameOf),
    created_at: row.createdAt.toISOString(),
    edited_at: row.editedAt?.toISOString() ?? null,
    can_edit: isOwn,
    can_delete: isOwn || permits(file.permission, 'own'),
  };
}

/** The parts of a text around its masked spans; of a withheld text (null) none. */
function shownParts(text: string, masked: readonly { start: number; end: number }[] | null): string[] {
  if (masked === null) return [];
  const starts = [0, ...masked.map(({ end }) => end)];
  return starts.map((start, i) => text.slice(start, masked[i]?.start));
}

function maskedBody({ id, body }: TranscriptComment, mask: Mask, spans: CommentSpans) {
  if (body === '' || mask.kinds.size === 0) return { text: body, withheld: false };
  const found = spans.get(id);
  // What could not be scanned is withheld, whatever the policy says about transcripts.
  if (!found) return { text: withheldText, withheld: true };
  return { text: maskText(body, maskedSpans(found, mask)).text, withheld: false };
}
