import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { mediaRoutes, type FileObject, type SubtitleCheck, type SummaryObject } from '@overtone/contracts';
import {
  defaultExportOptions,
  exportFormats,
  formatTakes,
  maxFoundFiles,
  readExportOptions,
  type ExportFormat,
  type ExportOptions,
} from '@overtone/contracts/export-formats';
import type { Outbox } from '@overtone/database';
import { handle, handled, tooLarge, type RouteRequest, type Slice } from '@overtone/service-kit';
import { scopeOf, usableFile, type UsableFile } from '../access/access.store.ts';
import { actorOf, auditAction, type Actor } from '../audit/audit.ts';
import type { ReadPassages } from '../codes/codes.ts';
import type { ListComments } from '../comments/comments.ts';
import { usableCollection } from '../collections/collections.store.ts';
import type { Db } from '../database.ts';
import { problemOf } from '../bulk/bulk.ts';
import { isSettled, toFileObject } from '../files/files.ts';
import { readFile, recordUse } from '../files/files.store.ts';
import type { People } from '../ports/people.adapter.ts';
import type { FindFiles } from '../ports/search.adapter.ts';
import type { Summaries } from '../ports/summaries.adapter.ts';
import { noMask, toFileMasks } from '../redaction/redaction.ts';
import { maskFor, maskForIndex } from '../redaction/redaction.store.ts';
import { dispositionOf } from '../streaming/streaming.ts';
import { listSpeakers, readPages, readSegments } from '../transcripts/transcripts.store.ts';
import { chosenWordTemplate } from '../word-templates/word-templates.store.ts';
import { createArchiveNames } from './archive-names.ts';
import { createPassagesExport } from './coded-passages.service.ts';
import { contentsName, sendArchive, type ArchiveEntry } from './archive.ts';
import { linkToFile } from './file-link.ts';
import { createRenderer, type RenderRequest } from './render.adapter.ts';
import type { About, Product } from './transcript.ts';

/** Passages of a preview. */
const previewSize = 40;

type Deps = {
  db: Db;
  outbox: Outbox;
  people: Pick<People, 'names'>;
  summaries: Summaries;
  findFiles: FindFiles;
  listComments: ListComments;
  readPassages: ReadPassages;
};
type Choice = { product: Product; options: ExportOptions; wordTemplate?: RenderRequest['wordTemplate'] };
/** Only the first passages, or all of them. */
type Extent = { limit?: number };
type Exchange = Pick<RouteRequest<never>, 'res' | 'signal' | 'origin'>;

/** Downloads of the transcript. */
export function createExportsSlice({
  db,
  outbox,
  people,
  summaries,
  findFiles,
  listComments,
  readPassages,
}: Deps): Slice {
  const passages = createPassagesExport({ db, outbox, people, readPassages });
  const { withRendered } = createRenderer();

  /** Calls `use` with the file that is made of what the caller may see. */
  const withProduct = async <T>(
    { file, actor }: { file: UsableFile; actor: Actor },
    { product, options, wordTemplate = null }: Choice,
    { signal, origin }: Pick<Exchange, 'signal' | 'origin'>,
    use: (rendered: FileHandle, bytes: number) => Promise<T>,
    extent: Extent = {},
  ): Promise<T> => {
    const mask = await maskFor(db, actor, file);
    const described = toFileObject(await readFile(db, file.id), 'viewer');
    const about = { ...aboutOf(described), speakers: await listSpeakers(db, file.id, mask) };
    const summary = options.summary ? await summaryOf(file) : null;
    const pages = readPages(db, file.id, { mask, words: needsWords(product, options), ...extent });
    const comments = options.comments ? (await listComments(actor, file.id)).threads : null;
    const request = { product, options, about, summary, comments, wordTemplate, link: linkToFile(origin, file.id) };
    return withRendered(request, pages, { userId: actor.userId, signal }, use);
  };

  const summaryOf = async (file: UsableFile): Promise<SummaryObject | null> =>
    summaries.shown(file.id, toFileMasks(await maskForIndex(db, file)));

  const send = async (
    actor: Actor,
    fileId: string,
    { format, options }: { format: ExportFormat; options: ExportOptions },
    { res, signal, origin }: Exchange,
  ): Promise<typeof handled> => {
    const file = await usableFile(db, actor, fileId, 'read');
    const wordTemplate = await wordTemplateFor(format, options);
    const choice = { product: format, options, wordTemplate };
    await withProduct({ file, actor }, choice, { signal, origin }, async (rendered, bytes) => {
      await recordExport(file, actor, format);
      const { mediaType, extension } = exportFormats[format];
      res.setHeader('Content-Type', mediaType);
      res.setHeader('Content-Length', String(bytes));
      res.setHeader('Content-Disposition', dispositionOf('attachment', `${file.title}.${extension}`));
      res.setHeader('X-Content-Type-Options', 'nosniff');
      res.setHeader('Cache-Control', 'private, no-cache');
      // A client that closes the connection is not an error.
      await pipeline(rendered.createReadStream({ autoClose: false }), res).catch((error: unknown) => {
        if (!signal.aborted && !res.destroyed) throw error;
      });
    });
    return handled;
  };

  const wordTemplateFor = async (format: ExportFormat, options: ExportOptions) =>
    formatTakes(format, 'word_template') ? chosenWordTemplate(db, options.word_template) : null;

  const recordExport = async (file: UsableFile, actor: Actor, format: ExportFormat): Promise<void> => {
    await db.$transaction((tx) => auditAction(tx, outbox, 'file_exported', { file, actor, details: { format } }));
    await recordUse(db, file);
  };

  const sendMany = async (
    actor: Actor,
    { title, fileIds }: { title: string; fileIds: readonly string[] },
    { format, options }: { format: ExportFormat; options: ExportOptions },
    { res, signal, origin }: Exchange,
  ): Promise<typeof handled> => {
    const { extension, binary } = exportFormats[format];
    const nameOf = createArchiveNames(extension, [contentsName]);
    const choice = { product: format, options, wordTemplate: await wordTemplateFor(format, options) };
    res.setHeader('Content-Type', 'application/zip');
    res.setHeader('Content-Disposition', dispositionOf('attachment', `${title}.zip`));
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Cache-Control', 'private, no-cache');
    const send = sendArchive(res, signal, async ({ add, finish }) => {
      const entries: ArchiveEntry[] = [];
      for (const fileId of fileIds) {
        const entry: ArchiveEntry = { ...nothingKnown, link: linkToFile(origin, fileId) };
        entries.push(entry);
        try {
          const file = await usableFile(db, actor, fileId, 'read');
          const described = toFileObject(await readFile(db, fileId), 'viewer');
          Object.assign(entry, entryOf(described), { note: await whyEmpty(described) });
          if (entry.note !== '') continue;
          await withProduct({ file, actor }, choice, { signal, origin }, async (rendered) => {
            await recordExport(file, actor, format);
            entry.name = nameOf(file.title);
            await add(entry.name, rendered, !binary);
          });
        } catch (error) {
          signal.throwIfAborted();
          entry.note = problemOf(error).message;
        }
      }
      await finish(entries);
    });
    // A client that closes the connection is not an error.
    await send.catch((error: unknown) => {
      if (!signal.aborted && !res.destroyed) throw error;
    });
    return handled;
  };

  /** Why a recording has no text yet, or never will; empty: it has a transcript, perhaps one of an earlier run. */
  const whyEmpty = async (file: FileObject): Promise<string> => {
    const { uuid, status, error, display_status: shown, no_speech: isSilent } = file;
    if (status === 'completed' && !isSilent) return '';
    const { total } = await readSegments(db, uuid, { limit: 0, offset: 0, words: false, mask: noMask });
    if (total > 0) return '';
    if (isSettled(status)) return `There is no transcript: ${error?.message ?? `${shown}.`}`;
    return `There is no transcript yet: ${shown}.`;
  };

  /** What an archive contains: the chosen files, or those of a collection that the caller may read. */
  const readSelection = async (
    actor: Actor,
    {
      file_uuids: files,
      collection_uuid: collectionId,
    }: { file_uuids?: string[] | undefined; collection_uuid?: string | undefined },
  ): Promise<{ title: string; fileIds: string[] }> => {
    if (collectionId === undefined) return { title: 'Transcripts', fileIds: [...new Set(files)] };
    const collection = await usableCollection(db, actor, collectionId, 'read');
    const rows = await db.mediaFile.findMany({
      where: { AND: [await scopeOf(db, actor, 'all'), { collections: { some: { collectionId } } }] },
      orderBy: [{ uploadTime: 'asc' }, { id: 'asc' }],
      select: { id: true },
    });
    return { title: collection.name, fileIds: rows.map(({ id }) => id) };
  };

  return {
    routes: [
      handle(mediaRoutes.exportArchive, async (request) => {
        const { format, file_uuids, collection_uuid, ...options } = request.query;
        const actor = actorOf(request);
        const selection = await readSelection(actor, { file_uuids, collection_uuid });
        return sendMany(actor, selection, { format, options }, request);
      }),
      handle(mediaRoutes.exportFound, async (request) => {
        const { query } = request;
        const actor = actorOf(request);
        const { userId, role } = actor;
        const { fileIds, more } = await findFiles({ search: query, reader: { userId, role } });
        if (more || fileIds.length > maxFoundFiles)
          throw tooLarge(
            'export_too_many',
            more
              ? 'The search finds more than can be exported at once. Narrow it to export all that it finds.'
              : `The search finds more than ${maxFoundFiles} recordings. Narrow it to export all that it finds.`,
          );
        const choice = { format: query.format, options: readExportOptions(query) };
        return sendMany(actor, { title: `Transcripts ${query.q}`, fileIds }, choice, request);
      }),
      handle(mediaRoutes.exportFile, (request) => {
        const { format, ...options } = request.query;
        return send(actorOf(request), request.params.uuid, { format, options }, request);
      }),
      handle(mediaRoutes.exportPreview, async (request) => {
        const { format: wanted, ...options } = request.query;
        const { binary } = exportFormats[wanted];
        const format = binary ? 'html' : wanted;
        const actor = actorOf(request);
        const file = await usableFile(db, actor, request.params.uuid, 'read');
        const { total } = await readSegments(db, file.id, { limit: 0, offset: 0, words: false, mask: noMask });
        const choice = { product: format, options };
        const text = await withProduct({ file, actor }, choice, request, readText, { limit: previewSize });
        return {
          type: format === 'html' ? ('html' as const) : ('text' as const),
          text,
          complete: total <= previewSize,
        };
      }),
      handle(mediaRoutes.exportPassages, (request) => passages.send(actorOf(request), request)),
      handle(mediaRoutes.checkSubtitles, async (request) => {
        const actor = actorOf(request);
        const file = await usableFile(db, actor, request.params.uuid, 'read');
        const choice = { product: 'subtitle_check', options: { ...defaultExportOptions, ...request.query } } as const;
        return JSON.parse(await withProduct({ file, actor }, choice, request, readText)) as SubtitleCheck;
      }),
      handle(mediaRoutes.subtitles, (request) => {
        const { subtitle_format: format, include_speakers: withSpeakers, include_summary: summary } = request.query;
        const names = withSpeakers ? (format === 'txt' ? 'each' : 'change') : 'none';
        const options = { ...defaultExportOptions, heading: false, names, summary } as const;
        return send(actorOf(request), request.params.uuid, { format, options }, request);
      }),
    ],
  };
}

function readText(rendered: FileHandle): Promise<string> {
  return rendered.readFile('utf8');
}

function aboutOf(described: FileObject): Omit<About, 'speakers'> {
  const { title, filename, content_type, language, duration, recorded_date, upload_time, engine } = described;
  return { title, filename, content_type, language, duration, recorded_date, upload_time, engine };
}

const nothingKnown = { name: null, title: '', recorded: null, duration: null, language: null, note: '' };

function entryOf({ title, recorded_date: recorded, duration, language }: FileObject): Partial<ArchiveEntry> {
  return { title, recorded, duration, language };
}

function needsWords(product: Product, { uncertain, cues }: ExportOptions): boolean {
  if (uncertain || product === 'json') return true;
  const isSubtitle = product === 'subtitle_check' || formatTakes(product, 'cues');
  return isSubtitle && cues === 'reflowed';
}
