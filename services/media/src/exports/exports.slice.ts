import { mediaRoutes, type SummaryObject } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { handle, handled, type Slice } from '@overtone/service-kit';
import { usableFile } from '../access/access.store.ts';
import { actorOf, auditAction } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import { toFileObject } from '../files/files.ts';
import { readFile, recordUse } from '../files/files.store.ts';
import type { Summaries } from '../ports/summaries.adapter.ts';
import { toFileMasks, type Mask } from '../redaction/redaction.ts';
import { maskFor, maskForIndex } from '../redaction/redaction.store.ts';
import { dispositionOf } from '../streaming/streaming.ts';
import { listSpeakers, readSegments } from '../transcripts/transcripts.store.ts';
import { toJson, toSrt, toTxt, toVtt, type Spoken } from './exports.ts';

const pageSize = 2000;

const formats = {
  srt: { type: 'application/x-subrip; charset=utf-8', extension: 'srt' },
  webvtt: { type: 'text/vtt; charset=utf-8', extension: 'vtt' },
  txt: { type: 'text/plain; charset=utf-8', extension: 'txt' },
  json: { type: 'application/json; charset=utf-8', extension: 'json' },
};

type Deps = { db: Db; outbox: Outbox; summaries: Summaries };

/** Downloads of the transcript. */
export function createExportsSlice({ db, outbox, summaries }: Deps): Slice {
  return {
    routes: [
      handle(mediaRoutes.subtitles, async (request) => {
        const { params, query, res } = request;
        const { subtitle_format: format, include_speakers: withSpeakers } = query;
        const actor = actorOf(request);
        const file = await usableFile(db, actor, params.uuid, 'read');
        const mask = await maskFor(db, actor, file);
        const summary = query.include_summary
          ? await summaries.shown(file.id, toFileMasks(await maskForIndex(db, file)))
          : null;
        const body = await writeTranscript(db, { id: file.id, format, withSpeakers, mask, summary });
        await db.$transaction((tx) => auditAction(tx, outbox, 'file_exported', { file, actor, details: { format } }));
        await recordUse(db, file);
        const { type, extension } = formats[format];
        res.setHeader('Content-Type', type);
        res.setHeader('Content-Disposition', dispositionOf('attachment', `${file.title}.${extension}`));
        res.setHeader('X-Content-Type-Options', 'nosniff');
        res.setHeader('Cache-Control', 'private, no-cache');
        res.end(body);
        return handled;
      }),
    ],
  };
}

type Export = {
  id: string;
  format: keyof typeof formats;
  withSpeakers: boolean;
  mask: Mask;
  summary: SummaryObject | null;
};

async function writeTranscript(db: Db, { id, format, withSpeakers, mask, summary }: Export) {
  const segments = await readAll(db, id, mask);
  const about = { ...toFileObject(await readFile(db, id), 'viewer'), speakers: await listSpeakers(db, id, mask) };
  const writers = { srt: toSrt, webvtt: toVtt, txt: toTxt, json: toJson.bind(null, about) };
  return writers[format](segments, withSpeakers, summary);
}

async function readAll(db: Db, fileId: string, mask: Mask): Promise<Spoken[]> {
  const all: Spoken[] = [];
  for (let total = 1; all.length < total;) {
    const page = await readSegments(db, fileId, { limit: pageSize, offset: all.length, words: true, mask });
    if (page.segments.length === 0) break;
    all.push(...page.segments);
    total = page.total;
  }
  return all;
}
