import type { ExportFormat } from '@overtone/contracts/export-formats';
import { writeCsv, writeJson } from './data.ts';
import { writeHtml } from './html.ts';
import { writeSrt, writeTtml, writeVtt } from './subtitles.ts';
import { writeMarkdown, writeTxt } from './text.ts';
import type { Writer } from './transcript.ts';

/** The writer of a format. Large libraries are loaded when they are needed. */
export const writers: Readonly<Record<ExportFormat, Writer>> = {
  docx: async function* (transcript) {
    const { writeDocx } = await import('./docx.ts');
    yield* writeDocx(transcript);
  },
  html: writeHtml,
  markdown: writeMarkdown,
  txt: writeTxt,
  srt: writeSrt,
  webvtt: writeVtt,
  ttml: writeTtml,
  csv: writeCsv,
  json: writeJson,
};
