import { writeCsv, writeJson } from './data.ts';
import { writeHtml } from './html.ts';
import { writeOtr } from './otr.ts';
import { writeQdpx } from './refi-qda.ts';
import { checkSubtitles } from './subtitle-check.ts';
import { writeSrt, writeTtml, writeVtt } from './subtitles.ts';
import { writeMarkdown, writeTxt } from './text.ts';
import type { Product, Writer } from './transcript.ts';

/** The writer of each product. Large libraries are loaded when they are needed. */
export const writers: Readonly<Record<Product, Writer>> = {
  docx: async function* (transcript) {
    const { writeDocx } = await import('./docx.ts');
    yield* writeDocx(transcript);
  },
  pdf: async function* (transcript) {
    const { writePdf } = await import('./pdf.ts');
    yield* writePdf(transcript);
  },
  html: writeHtml,
  markdown: writeMarkdown,
  txt: writeTxt,
  srt: writeSrt,
  webvtt: writeVtt,
  ttml: writeTtml,
  csv: writeCsv,
  json: writeJson,
  otr: writeOtr,
  qdpx: writeQdpx,
  subtitle_check: async function* (transcript) {
    yield JSON.stringify(await checkSubtitles(transcript));
  },
};
