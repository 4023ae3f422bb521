import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CodedPassage, mediaRoutes, QueryOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { handled, isAppError, type RouteRequest } from '@overtone/service-kit';
import { stringify } from 'csv-stringify/sync';
import { usableFile, type UsableFile } from '../access/access.store.ts';
import { auditAction, type Actor } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import { collapseWhitespace, timestamp } from './spoken.ts';
import type { CodeList, MediaFile } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';
import { maskFor } from '../redaction/redaction.store.ts';
import { dispositionOf } from '../streaming/streaming.ts';
import { codeOf, usableCodeList } from '../codes/codes.store.ts';
import type { ReadPassages } from '../codes/codes.ts';
import { readPages } from '../transcripts/transcripts.store.ts';
import { sendZip } from './archive.ts';
import { codeBook, createCodedText, textSource, toCodedPlace, type CodedPlace } from './coded-project.ts';
import { linkToFile } from './file-link.ts';
import { closeProject, openProject } from './refi-qda.ts';

type Deps = { db: Db; outbox: Outbox; people: Pick<People, 'names'>; readPassages: ReadPassages };
type Exchange = Pick<RouteRequest<never>, 'res' | 'signal' | 'origin'> & {
  params: { uuid: string };
  query: QueryOf<(typeof mediaRoutes)['exportPassages']>;
};
/** Spreadsheets run a cell that begins like a formula; the library puts an apostrophe in front of it. */
const csv = { escape_formulas: true, record_delimiter: 'windows' } as const;
const heads = ['code', 'above', 'recording', 'start', 'end', 'speaker', 'text', 'coded by', 'coded at', 'link'];
const mediaTypes = { csv: 'text/csv; charset=utf-8', qdpx: 'application/zip' } as const;

/** Downloads of the passages of a list of codes. */
export function createPassagesExport({ db, outbox, people, readPassages }: Deps) {
  /** Each recording of which text is exported is audited once. */
  const createAudit = (actor: Actor, format: string) => {
    const known = new Set<string>();
    return async (files: readonly MediaFile[]): Promise<void> => {
      for (const file of files) {
        if (known.has(file.id)) continue;
        known.add(file.id);
        const details = { format };
        await db.$transaction((tx) => auditAction(tx, outbox, 'file_exported', { file, actor, details }));
      }
    };
  };

  /** A table with a row for each passage. Excel reads UTF-8 only behind a byte order mark. */
  async function* writeCsv(actor: Actor, { params, query, origin }: Exchange): AsyncGenerator<string> {
    const above = await readParents(db, params.uuid);
    const audit = createAudit(actor, 'codes');
    yield `\uFEFF${stringify([heads], csv)}`;
    for await (const { passages, files } of readPassages(actor, params.uuid, query.code_uuid)) {
      await audit(files);
      yield stringify(
        passages.map((passage) => rowOf(passage, above.get(passage.code_uuid) ?? '', origin)),
        csv,
      );
    }
  }

  /** The transcript of a recording as text, and its element of the project. */
  async function* writeText(
    actor: Actor,
    file: UsableFile,
    text: ReturnType<typeof createCodedText>,
  ): AsyncGenerator<string> {
    const mask = await maskFor(db, actor, file);
    for await (const page of readPages(db, file.id, { mask, words: true }))
      yield page.map((passage) => text.line(passage)).join('');
  }

  /**
   * A REFI-QDA project with the transcripts as texts and the codes at their places. Where the places stand is known only
   * when the texts were written, and the project names them: what belongs to its recordings waits in a file without a name.
   */
  const sendProject = async (actor: Actor, list: CodeList, { params, query, ...exchange }: Exchange): Promise<void> => {
    const { res, signal, origin } = exchange;
    const audit = createAudit(actor, 'codes_qdpx');
    const authors = new Set([actor.userId]);
    const waiting = await openNameless();
    try {
      await sendZip(res, signal, async ({ add }) => {
        for await (const [fileId, places] of byRecording(readPassages(actor, params.uuid, query.code_uuid))) {
          const file = await usableFile(db, actor, fileId, 'read').catch(nothingIfGone);
          if (!file) continue;
          await audit([file]);
          const text = createCodedText(places);
          await add(`sources/${fileId}.txt`, Readable.from(writeText(actor, file, text)), true);
          const link = linkToFile(origin, fileId);
          const source = { id: fileId, title: file.title, link, at: file.uploadTime.toISOString() };
          await waiting.writeFile([...textSource(source, places, text.rangeOf)].join(''));
          for (const { authorId } of places) if (authorId !== null) authors.add(authorId);
        }
        await add('project.qde', Readable.from(writeProject(actor, list, { authors, waiting })), true);
      });
    } finally {
      await waiting.close();
    }
  };

  async function* writeProject(
    actor: Actor,
    list: CodeList,
    { authors, waiting }: { authors: ReadonlySet<string>; waiting: FileHandle },
  ): AsyncGenerator<string | Uint8Array> {
    const names = await people.names([...authors]);
    const users = [...authors].map((id) => ({ id, name: names.get(id) ?? id }));
    yield openProject({ name: list.name, made: { by: actor.userId, at: new Date().toISOString() }, users });
    yield codeBook(await db.code.findMany({ where: { listId: list.id }, orderBy: [{ name: 'asc' }, { id: 'asc' }] }));
    if ((await waiting.stat()).size > 0) {
      yield '  <Sources>\n';
      for await (const piece of waiting.createReadStream({ start: 0, autoClose: false })) yield piece as Uint8Array;
      yield '  </Sources>\n';
    }
    yield closeProject;
  }

  return {
    send: async (actor: Actor, exchange: Exchange): Promise<typeof handled> => {
      const { res, signal, params, query } = exchange;
      const list = await usableCodeList(db, actor, params.uuid, 'read');
      if (query.code_uuid !== undefined) await codeOf(db, list.id, query.code_uuid);
      res.setHeader('Content-Type', mediaTypes[query.format]);
      res.setHeader('Content-Disposition', dispositionOf('attachment', `${list.name}.${query.format}`));
      res.setHeader('X-Content-Type-Options', 'nosniff');
      res.setHeader('Cache-Control', 'private, no-cache');
      const sending =
        query.format === 'csv'
          ? pipeline(Readable.from(writeCsv(actor, exchange)), res, { signal })
          : sendProject(actor, list, exchange);
      // A client that closes the connection is not an error.
      await sending.catch((error: unknown) => {
        if (!signal.aborted && !res.destroyed) throw error;
      });
      return handled;
    },
  };
}

/** The recordings, one after the other, with their places. */
async function* byRecording(pages: ReturnType<ReadPassages>): AsyncGenerator<[fileId: string, places: CodedPlace[]]> {
  let current: [string, CodedPlace[]] | undefined;
  for await (const { passages } of pages) {
    for (const passage of passages) {
      if (current?.[0] !== passage.file_uuid) {
        if (current) yield current;
        current = [passage.file_uuid, []];
      }
      current[1].push(toCodedPlace(passage));
    }
  }
  if (current) yield current;
}

/** A file that ceases to exist when it is closed. */
async function openNameless(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'overtone-export-'));
  try {
    return await open(join(folder, 'sources'), 'w+');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function nothingIfGone(error: unknown): undefined {
  if (isAppError(error) && error.kind === 'not_found') return undefined;
  throw error;
}

function rowOf(passage: CodedPassage, above: string, origin: Exchange['origin']): string[] {
  const { name, title, start_time: start, end_time: end, speaker, quote, author, created_at: at } = passage;
  return [
    name,
    above,
    title,
    timestamp(start, '.'),
    timestamp(end, '.'),
    speaker ?? '',
    collapseWhitespace(quote ?? ''),
    author?.name ?? '',
    at,
    `${linkToFile(origin, passage.file_uuid)}?t=${start}`,
  ];
}

/** The names of the codes above, by the ids of those below. */
async function readParents(db: Db, listId: string): Promise<Map<string, string>> {
  const codes = await db.code.findMany({ where: { listId }, select: { id: true, parent: { select: { name: true } } } });
  return new Map(codes.flatMap(({ id, parent }) => (parent ? [[id, parent.name] as const] : [])));
}
