import { pipeline } from 'node:stream/promises';
import { mediaRoutes, type SummaryObject } from '@overtone/contracts';
import {
  defaultExportOptions,
  exportFormats,
  type ExportFormat,
  type ExportOptions,
} from '@overtone/contracts/export-formats';
import type { Outbox } from '@overtone/database';
import { handle, handled, type RouteRequest, type Slice } from '@overtone/service-kit';
import { usableFile, type UsableFile } from '../access/access.store.ts';
import { actorOf, auditAction, type Actor } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import { toFileObject } from '../files/files.ts';
import { readFile, recordUse } from '../files/files.store.ts';
import type { Summaries } from '../ports/summaries.adapter.ts';
import { toFileMasks, type Mask } from '../redaction/redaction.ts';
import { maskFor, maskForIndex } from '../redaction/redaction.store.ts';
import { dispositionOf } from '../streaming/streaming.ts';
import { listSpeakers, readSegments } from '../transcripts/transcripts.store.ts';
import { createRenderer, type RenderRequest } from './render.adapter.ts';
import type { Spoken } from './spoken.ts';

const pageSize = 2000;
/** Passages of a preview. */
const previewSize = 40;

type Deps = { db: Db; outbox: Outbox; summaries: Summaries };
type Choice = { format: ExportFormat; options: ExportOptions };
type Exchange = Pick<RouteRequest<never>, 'res' | 'signal' | 'origin'>;

/** Downloads of the transcript. */
export function createExportsSlice({ db, outbox, summaries }: Deps): Slice {
  const { withRendered } = createRenderer();

  /** What is written before the passages, as the caller may see it. */
  const requestOf = async (file: UsableFile, mask: Mask, { format, options }: Choice, link: string) => {
    const described = toFileObject(await readFile(db, file.id), 'viewer');
    const { title, filename, language, duration, recorded_date, upload_time, engine } = described;
    const speakers = await listSpeakers(db, file.id, mask);
    const about = { title, filename, language, duration, recorded_date, upload_time, engine, speakers };
    return { format, options, about, summary: options.summary ? await summaryOf(file) : null, link };
  };

  const summaryOf = async (file: UsableFile): Promise<SummaryObject | null> =>
    summaries.shown(file.id, toFileMasks(await maskForIndex(db, file)));

  const send = async (
    actor: Actor,
    fileId: string,
    choice: Choice,
    { res, signal, origin }: Exchange,
  ): Promise<typeof handled> => {
    const { format } = choice;
    const file = await usableFile(db, actor, fileId, 'read');
    const mask = await maskFor(db, actor, file);
    const request: RenderRequest = await requestOf(file, mask, choice, linkTo(origin, fileId));
    const pages = readPages(db, fileId, { mask, words: needsWords(choice) });
    await withRendered(request, pages, { userId: actor.userId, signal }, async (rendered, bytes) => {
      await db.$transaction((tx) => auditAction(tx, outbox, 'file_exported', { file, actor, details: { format } }));
      await recordUse(db, file);
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

  return {
    routes: [
      handle(mediaRoutes.exportFile, (request) => {
        const { format, ...options } = request.query;
        return send(actorOf(request), request.params.uuid, { format, options }, request);
      }),
      handle(mediaRoutes.exportPreview, async ({ caller, params, query, origin, signal }) => {
        const { format: wanted, ...options } = query;
        const { binary } = exportFormats[wanted];
        const format = binary ? 'html' : wanted;
        const file = await usableFile(db, caller, params.uuid, 'read');
        const mask = await maskFor(db, caller, file);
        const request = await requestOf(file, mask, { format, options }, linkTo(origin, file.id));
        const words = needsWords({ format, options });
        const { segments, total } = await readSegments(db, file.id, { limit: previewSize, offset: 0, words, mask });
        const pages = (async function* () {
          if (segments.length > 0) yield segments;
        })();
        const text = await withRendered(request, pages, { userId: caller.userId, signal }, (rendered) =>
          rendered.readFile('utf8'),
        );
        return {
          type: format === 'html' ? ('html' as const) : ('text' as const),
          text,
          complete: total <= previewSize,
        };
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

/** The page of a recording. */
function linkTo({ scheme, host }: Exchange['origin'], fileId: string): string {
  return `${scheme}//${host}/files/${fileId}`;
}

function needsWords({ format, options: { uncertain, cues } }: Choice): boolean {
  const isSubtitle = exportFormats[format].options.some((option) => option === 'cues');
  return uncertain || format === 'json' || (isSubtitle && cues === 'reflowed');
}

async function* readPages(
  db: Db,
  fileId: string,
  { mask, words }: { mask: Mask; words: boolean },
): AsyncGenerator<Spoken[]> {
  for (let [offset, total] = [0, 1]; offset < total;) {
    const page = await readSegments(db, fileId, { limit: pageSize, offset, words, mask });
    if (page.segments.length === 0) return;
    yield page.segments;
    [offset, total] = [offset + page.segments.length, page.total];
  }
}
