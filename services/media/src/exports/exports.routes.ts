import { mediaRoutes, type FileObject } from '@overtone/contracts';
import { handle, handled, type Caller, type Route } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { usableFile } from '../access/access.ts';
import { toFileObject, withSpeakerCount } from '../files/files.ts';
import { dispositionOf } from '../streaming/streaming.ts';
import { readSegments } from '../transcripts/transcripts.ts';
import { toSrt, toTxt, toVtt, type Spoken } from './exports.ts';

const pageSize = 2000;

const readAll = async (db: Db, fileId: string): Promise<Spoken[]> => {
  const all: Spoken[] = [];
  for (let total = 1; all.length < total;) {
    const page = await readSegments(db, fileId, { limit: pageSize, offset: all.length, words: true });
    if (page.segments.length === 0) break;
    all.push(...page.segments);
    total = page.total;
  }
  return all;
};

const toJson = (file: FileObject, segments: Spoken[], withSpeakers: boolean): string => {
  const shown = segments.map(({ speaker, ...segment }) => (withSpeakers ? { ...segment, speaker } : segment));
  return JSON.stringify({ file, segments: shown }, null, 2);
};

const formats = {
  srt: { type: 'application/x-subrip; charset=utf-8', extension: 'srt' },
  webvtt: { type: 'text/vtt; charset=utf-8', extension: 'vtt' },
  txt: { type: 'text/plain; charset=utf-8', extension: 'txt' },
  json: { type: 'application/json; charset=utf-8', extension: 'json' },
};

/** The transcript to take away. */
export const exportsRoutes = ({ db }: { db: Db }): Route[] => {
  const write = async (caller: Caller, id: string, format: keyof typeof formats, withSpeakers: boolean) => {
    const { permission } = await usableFile(db, caller, id, 'read');
    const file = await db.mediaFile.findUniqueOrThrow({ where: { id }, include: withSpeakerCount });
    const segments = await readAll(db, id);
    const write = { srt: toSrt, webvtt: toVtt, txt: toTxt };
    const body =
      format === 'json'
        ? toJson(toFileObject(file, permission), segments, withSpeakers)
        : write[format](segments, withSpeakers);
    return { title: file.title, body };
  };
  return [
    handle(mediaRoutes.subtitles, async ({ caller, params, query, res }) => {
      const format = query.subtitle_format;
      const { title, body } = await write(caller, params.uuid, format, query.include_speakers);
      const { type, extension } = formats[format];
      res.setHeader('Content-Type', type);
      res.setHeader('Content-Disposition', dispositionOf('attachment', `${title}.${extension}`));
      res.setHeader('X-Content-Type-Options', 'nosniff');
      res.setHeader('Cache-Control', 'private, no-cache');
      res.end(body);
      return handled;
    }),
  ];
};
