import { mediaRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { handle, handled, type Route } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { usableFile } from '../access/access.ts';
import { actorOf, auditAction, type Actor } from '../audit/audit.ts';
import { toFileObject, withSpeakerCount } from '../files/files.ts';
import { listSpeakers } from '../speakers/speakers.ts';
import { dispositionOf } from '../streaming/streaming.ts';
import { readSegments } from '../transcripts/transcripts.ts';
import { toJson, toSrt, toTxt, toVtt, type Spoken } from './exports.ts';

const pageSize = 2000;

const formats = {
  srt: { type: 'application/x-subrip; charset=utf-8', extension: 'srt' },
  webvtt: { type: 'text/vtt; charset=utf-8', extension: 'vtt' },
  txt: { type: 'text/plain; charset=utf-8', extension: 'txt' },
  json: { type: 'application/json; charset=utf-8', extension: 'json' },
};

/** Downloads of the transcript. */
export function exportsRoutes({ db, outbox }: { db: Db; outbox: Outbox }): Route[] {
  const write = async (actor: Actor, id: string, format: keyof typeof formats, withSpeakers: boolean) => {
    const file = await usableFile(db, actor, id, 'read');
    const segments = await readAll(db, id);
    const counted = await db.mediaFile.findUniqueOrThrow({ where: { id }, include: withSpeakerCount });
    const about = { ...toFileObject(counted, 'viewer'), speakers: await listSpeakers(db, id) };
    const writers = { srt: toSrt, webvtt: toVtt, txt: toTxt, json: toJson.bind(null, about) };
    const body = writers[format](segments, withSpeakers);
    await db.$transaction((tx) => auditAction(tx, outbox, 'file_exported', { file, actor, details: { format } }));
    return { title: file.title, body };
  };
  return [
    handle(mediaRoutes.subtitles, async (r) => {
      const { params, query, res } = r;
      const format = query.subtitle_format;
      const { title, body } = await write(actorOf(r), params.uuid, format, query.include_speakers);
      const { type, extension } = formats[format];
      res.setHeader('Content-Type', type);
      res.setHeader('Content-Disposition', dispositionOf('attachment', `${title}.${extension}`));
      res.setHeader('X-Content-Type-Options', 'nosniff');
      res.setHeader('Cache-Control', 'private, no-cache');
      res.end(body);
      return handled;
    }),
  ];
}

async function readAll(db: Db, fileId: string): Promise<Spoken[]> {
  const all: Spoken[] = [];
  for (let total = 1; all.length < total;) {
    const page = await readSegments(db, fileId, { limit: pageSize, offset: all.length, words: true });
    if (page.segments.length === 0) break;
    all.push(...page.segments);
    total = page.total;
  }
  return all;
}
