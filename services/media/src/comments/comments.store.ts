import { randomUUID, createHash } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { mediaEvents } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { mergeSpans, type Span } from '@overtone/redaction';
import { isQuarantined } from '../access/access.ts';
import type { Db, Tx } from '../database.ts';
import { idsOf } from '../files/files.ts';
import type { MediaFile, TranscriptComment } from '../generated/client.ts';
import { notHeld } from '../legal-hold/legal-hold.store.ts';
import type { NamesModel } from '../ports/names-model.adapter.ts';
import type { FoundSpan } from '../redaction/redaction.ts';
import { knownNames, readDetector, type Detector } from '../redaction/redaction.store.ts';
import { phraseFinder, phraseRule } from './comments.ts';

type File = Pick<MediaFile, 'id' | 'userId' | 'status' | 'language'>;

/** Of these people those who may read the file: its owner, and whom it is shared with. */
export async function readersAmong(db: Db | Tx, file: File, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0 || isQuarantined(file)) return [];
  const rows = await db.$queryRaw<{ id: string }[]>`
    select p.id::text as id from unnest(${[...new Set(userIds)]}::uuid[]) as p(id)
    where p.id = ${file.userId}::uuid or exists (
      select 1 from file_grant g where g.media_file_id = ${file.id}::uuid and (g.user_id = p.id
        or g.group_id in (select unnest(m.group_ids) from media_membership m where m.user_id = p.id)))`;
  return rows.map(({ id }) => id);
}

/** The people who may read the file. */
export async function selectReaders(db: Db | Tx, file: File, limit: number): Promise<string[]> {
  if (isQuarantined(file)) return [];
  const rows = await db.$queryRaw<{ id: string }[]>`
    select ${file.userId}::text as id
    union select g.user_id::text from file_grant g where g.media_file_id = ${file.id}::uuid and g.user_id is not null
    union select m.user_id::text from file_grant g join media_membership m on g.group_id = any(m.group_ids)
      where g.media_file_id = ${file.id}::uuid
    limit ${limit}`;
  return rows.map(({ id }) => id);
}

export function selectComments(db: Db | Tx, fileId: string, threadId?: string): Promise<TranscriptComment[]> {
  const some = threadId === undefined ? {} : { OR: [{ id: threadId }, { threadId }] };
  return db.transcriptComment.findMany({
    where: { fileId, ...some },
    orderBy: [{ startMs: 'asc' }, { createdAt: 'asc' }, { id: 'asc' }],
  });
}

/** What is masked in the texts: with null the text could not be scanned. */
export type CommentSpans = ReadonlyMap<string, readonly FoundSpan[] | null>;
/** Comments that are scanned without a pause for other requests. */
const window = 10;

/**
 * Finds personal data in comments as in the transcript, by the same rules, names model and known names, and where they repeat
 * what is masked in the transcript. The spans are stored, and found again when any of these has changed.
 */
export async function scanComments(
  db: Db,
  names: Pick<NamesModel, 'find'>,
  file: File,
  comments: readonly TranscriptComment[],
): Promise<CommentSpans> {
  const found = new Map<string, readonly FoundSpan[] | null>();
  const written = comments.filter(({ body }) => body !== '');
  if (written.length === 0) return found;
  const scanner = await readScanner(db, names, file);
  const stale = written.filter((comment) => comment.redactionKey !== scanner.keyOf(comment.body));
  for (const { id, redactions } of written) found.set(id, redactions as FoundSpan[]);
  for (let from = 0; from < stale.length; from += window) {
    const some = stale.slice(from, from + window);
    const spans = await scanner.find(some.map(({ body }) => body)).catch(() => null);
    for (const [i, { id, body }] of some.entries()) {
      const own = spans?.[i]?.map((span) => ({ ...span, uuid: randomUUID() })) ?? null;
      found.set(id, own);
      if (own)
        await db.transcriptComment.updateMany({
          where: { id, body },
          data: { redactions: own, redactionKey: scanner.keyOf(body) },
        });
    }
    await yieldToOthers();
  }
  return found;
}

type Scanner = { keyOf: (body: string) => string; find: (texts: readonly string[]) => Promise<Span[][]> };

async function readScanner(db: Db, names: Pick<NamesModel, 'find'>, { id, language }: File): Promise<Scanner> {
  const detector: Detector = await readDetector(db, names);
  const known = (await knownNames(db, id)).toSorted();
  const phrases = await maskedPhrases(db, id);
  const options = { language, knownNames: known };
  const base = hashOf(JSON.stringify([phraseRule, detector.version, options, phrases]));
  const repeated = phraseFinder(phrases);
  return {
    keyOf: (body) => `${base}:${hashOf(body)}`,
    find: async (texts) => {
      // One text at a time: a comment does not continue another one.
      const found = await Promise.all(texts.map(async (text) => (await detector.find([text], options))[0] ?? []));
      return texts.map((text, i) => mergeSpans([...(found[i] ?? []), ...repeated(text)]));
    },
  };
}

async function maskedPhrases(db: Db, fileId: string) {
  const rows = await db.segment.findMany({
    where: { fileId, NOT: { redactions: { equals: [] } } },
    orderBy: { position: 'asc' },
    select: { text: true, redactions: true, redactionKey: true },
  });
  const phrases = rows
    .filter(({ text, redactionKey }) => redactionKey?.endsWith(`:${hashOf(text)}`))
    .flatMap(({ text, redactions }) =>
      (redactions as FoundSpan[]).map(({ kind, start, end }) => ({ kind, text: text.slice(start, end) })),
    );
  const distinct = new Map(phrases.map((phrase) => [`${phrase.kind} ${phrase.text}`, phrase]));
  return [...distinct.values()];
}

function hashOf(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/**
 * Erases what a person wrote in comments. A thread in which others replied keeps its place without text and author. What is
 * in a file under a legal hold stays, without its author.
 * @returns how many comments were erased.
 */
export async function eraseCommentsOf(tx: Tx, outbox: Outbox, userId: string): Promise<number> {
  const touched = await tx.$queryRaw<{ id: string; ownerId: string }[]>`
    select f.uuid::text as id, f.user_id::text as "ownerId" from media_file f
    where f.uuid in (select c.media_file_id from transcript_comment c
      where c.author_id = ${userId}::uuid or c.resolved_by = ${userId}::uuid or ${userId}::uuid = any(c.mentions))`;
  const deleted = await tx.$executeRaw`
    delete from transcript_comment c using media_file f
    where f.uuid = c.media_file_id and ${notHeld} and c.author_id = ${userId}::uuid and not exists (
      select 1 from transcript_comment r where r.thread_id = c.uuid and r.author_id is distinct from ${userId}::uuid)`;
  const emptied = await tx.$executeRaw`
    update transcript_comment c set body = '', mentions = '{}', redactions = '[]', redaction_key = null, author_id = null
    from media_file f where f.uuid = c.media_file_id and ${notHeld} and c.author_id = ${userId}::uuid`;
  await tx.$executeRaw`
    update transcript_comment c set
      author_id = nullif(c.author_id, ${userId}::uuid),
      resolved_by = nullif(c.resolved_by, ${userId}::uuid),
      mentions = array_remove(c.mentions, ${userId}::uuid)
    where c.author_id = ${userId}::uuid or c.resolved_by = ${userId}::uuid or ${userId}::uuid = any(c.mentions)`;
  for (const { id, ownerId } of touched)
    await outbox.add(tx, mediaEvents.commentsChanged, idsOf({ id, userId: ownerId }));
  return deleted + emptied;
}
