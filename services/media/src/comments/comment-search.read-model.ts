import { commentSearchLimits, type FoundThread, type mediaRoutes, type QueryOf } from '@overtone/contracts';
import type { Caller } from '@overtone/service-kit';
import { permissionsOf, readableBy, type UsableFile } from '../access/access.store.ts';
import { escapeLike, type Db } from '../database.ts';
import type { Prisma, TranscriptComment } from '../generated/client.ts';
import type { CommentViews } from './comments.read-model.ts';

type Query = QueryOf<(typeof mediaRoutes)['searchComments']>;
type Found = { file: UsableFile; thread: TranscriptComment; rows: TranscriptComment[] };

const { threads: maxThreads, page: pageSize } = commentSearchLimits;

/** Finds comments in all recordings that their reader may read, newest first. */
export function createCommentSearch({ db, views }: { db: Db; views: Pick<CommentViews, 'show' | 'readerOf'> }) {
  /** The database has found a comment of a thread; which of them, and whether the caller reads the text, is decided here. */
  const wantedBy = async (caller: Caller, file: UsableFile, rows: TranscriptComment[], query: Query) => {
    const { text, author } = query;
    const ofAuthor = (row: TranscriptComment): boolean => author === undefined || row.authorId === author;
    if (text === undefined) return (row: TranscriptComment) => row.body !== '' && ofAuthor(row);
    const matching = await matchingIds(db, rows, text);
    const reads = await views.readerOf(caller, file, rows);
    return (row: TranscriptComment) => ofAuthor(row) && matching.has(row.id) && reads(row, text);
  };

  /** Of these threads, those that the caller may read; of some text only as far as the caller reads it. */
  const readFound = async (caller: Caller, ids: readonly string[], query: Query): Promise<Found[]> => {
    const threads = await db.transcriptComment.findMany({ where: { id: { in: [...ids] } }, include: { file: true } });
    const replies = await db.transcriptComment.findMany({
      where: { threadId: { in: [...ids] } },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    const repliesTo = Map.groupBy(replies, ({ threadId }) => threadId);
    const files = [...new Map(threads.map(({ file }) => [file.id, file])).values()];
    const permissions = await permissionsOf(db, caller, files);
    const found = new Map<string, Found>();
    for (const file of files) {
      const permission = permissions.get(file.id);
      if (!permission) continue;
      const usable = { ...file, permission };
      const some = threads
        .filter(({ fileId }) => fileId === file.id)
        .map(({ file: _file, ...thread }) => ({ thread, rows: [thread, ...(repliesTo.get(thread.id) ?? [])] }));
      const isWanted = await wantedBy(
        caller,
        usable,
        some.flatMap(({ rows }) => rows),
        query,
      );
      for (const { thread, rows } of some)
        if (rows.some(isWanted)) found.set(thread.id, { file: usable, thread, rows });
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  };

  const showPage = async (caller: Caller, page: readonly Found[]): Promise<FoundThread[]> => {
    const shown = new Map<string, FoundThread>();
    for (const [id, some] of Map.groupBy(page, ({ file }) => file.id)) {
      const [first] = some;
      if (!first) continue;
      const threads = await views.show(
        caller,
        first.file,
        some.flatMap(({ rows }) => rows),
      );
      for (const thread of threads) shown.set(thread.uuid, { ...thread, file_uuid: id, title: first.file.title });
    }
    return page.flatMap(({ thread }) => shown.get(thread.id) ?? []);
  };

  return async (caller: Caller, query: Query): Promise<{ threads: FoundThread[]; more: boolean }> => {
    const ids = await selectThreads(db, caller, query);
    const last = query.page * pageSize;
    const found: Found[] = [];
    // Some at a time: the first page does not wait for the masks of all recordings.
    for (let from = 0; from < ids.length && found.length <= last; from += pageSize)
      found.push(...(await readFound(caller, ids.slice(from, from + pageSize), query)));
    return { threads: await showPage(caller, found.slice(last - pageSize, last)), more: found.length > last };
  };
}

/** The newest threads with such a comment or reply, before masks. Highlights without a text are none. */
async function selectThreads(db: Db, caller: Caller, { text, author, state }: Query): Promise<string[]> {
  const written: Prisma.TranscriptCommentWhereInput = {
    body: text === undefined ? { not: '' } : { contains: escapeLike(text), mode: 'insensitive' },
    ...(author !== undefined && { authorId: author }),
  };
  const rows = await db.transcriptComment.findMany({
    where: {
      threadId: null,
      file: await readableBy(db, caller),
      ...(state !== 'all' && { resolvedAt: state === 'open' ? null : { not: null } }),
      OR: [written, { replies: { some: written } }],
    },
    select: { id: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
    take: maxThreads,
  });
  return rows.map(({ id }) => id);
}

/** Of these comments those with the text, by the same rule as in `selectThreads`. */
async function matchingIds(db: Db, rows: readonly TranscriptComment[], text: string): Promise<Set<string>> {
  const found = await db.transcriptComment.findMany({
    where: { id: { in: rows.map(({ id }) => id) }, body: { contains: escapeLike(text), mode: 'insensitive' } },
    select: { id: true },
  });
  return new Set(found.map(({ id }) => id));
}
