import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CodedPassage, mediaRoutes, QueryOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { handled, type RouteRequest } from '@overtone/service-kit';
import { stringify } from 'csv-stringify/sync';
import { auditAction, type Actor } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import { collapseWhitespace, timestamp } from './spoken.ts';
import type { MediaFile } from '../generated/client.ts';
import { dispositionOf } from '../streaming/streaming.ts';
import { codeOf, usableCodeList } from '../codes/codes.store.ts';
import type { ReadPassages } from '../codes/codes.ts';

type Deps = { db: Db; outbox: Outbox; readPassages: ReadPassages };
type Exchange = Pick<RouteRequest<never>, 'res' | 'signal' | 'origin'> & {
  params: { uuid: string };
  query: QueryOf<(typeof mediaRoutes)['exportPassages']>;
};
/** Spreadsheets run a cell that begins like a formula; the library puts an apostrophe in front of it. */
const csv = { escape_formulas: true, record_delimiter: 'windows' } as const;
const heads = ['code', 'above', 'recording', 'start', 'end', 'speaker', 'text', 'coded by', 'coded at', 'link'];

/** Downloads of the passages of a list of codes. */
export function createPassagesExport({ db, outbox, readPassages }: Deps) {
  /** Each recording of which text is exported is audited once. */
  const createAudit = (actor: Actor) => {
    const known = new Set<string>();
    return async (files: readonly MediaFile[]): Promise<void> => {
      for (const file of files) {
        if (known.has(file.id)) continue;
        known.add(file.id);
        const details = { format: 'codes' };
        await db.$transaction((tx) => auditAction(tx, outbox, 'file_exported', { file, actor, details }));
      }
    };
  };

  /** A table with a row for each passage. Excel reads UTF-8 only behind a byte order mark. */
  async function* writeCsv(actor: Actor, { params, query, origin }: Exchange): AsyncGenerator<string> {
    const above = await readParents(db, params.uuid);
    const audit = createAudit(actor);
    yield `\uFEFF${stringify([heads], csv)}`;
    for await (const { passages, files } of readPassages(actor, params.uuid, query.code_uuid)) {
      await audit(files);
      yield stringify(
        passages.map((passage) => rowOf(passage, above.get(passage.code_uuid) ?? '', origin)),
        csv,
      );
    }
  }

  return {
    send: async (actor: Actor, exchange: Exchange): Promise<typeof handled> => {
      const { res, signal, params, query } = exchange;
      const list = await usableCodeList(db, actor, params.uuid, 'read');
      if (query.code_uuid !== undefined) await codeOf(db, list.id, query.code_uuid);
      res.setHeader('Content-Type', 'text/csv; charset=utf-8');
      res.setHeader('Content-Disposition', dispositionOf('attachment', `${list.name}.csv`));
      res.setHeader('X-Content-Type-Options', 'nosniff');
      res.setHeader('Cache-Control', 'private, no-cache');
      // A client that closes the connection is not an error.
      await pipeline(Readable.from(writeCsv(actor, exchange)), res, { signal }).catch((error: unknown) => {
        if (!signal.aborted && !res.destroyed) throw error;
      });
      return handled;
    },
  };
}

function rowOf(passage: CodedPassage, above: string, { scheme, host }: Exchange['origin']): string[] {
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
    `${scheme}//${host}/files/${passage.file_uuid}?t=${start}`,
  ];
}

/** The names of the codes above, by the ids of those below. */
async function readParents(db: Db, listId: string): Promise<Map<string, string>> {
  const codes = await db.code.findMany({ where: { listId }, select: { id: true, parent: { select: { name: true } } } });
  return new Map(codes.flatMap(({ id, parent }) => (parent ? [[id, parent.name] as const] : [])));
}
