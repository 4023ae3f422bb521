import { defaultExportOptions } from '@overtone/contracts/export-formats';
import { strFromU8, unzipSync } from 'fflate';
import mammoth from 'mammoth';
import { getDocumentProxy } from 'unpdf';
import { writers } from '../src/exports/exports.ts';
import type { Spoken } from '../src/exports/spoken.ts';
import type { About, Product, Transcript } from '../src/exports/transcript.ts';

export const about: About = {
  title: 'A talk',
  filename: 'talk.wav',
  content_type: 'audio/wav',
  language: 'en',
  duration: 2,
  recorded_date: null,
  upload_time: '2026-01-01T00:00:00.000Z',
  engine: null,
  speakers: [],
};

export function speaker(name: string | null, label = 'SPEAKER_01') {
  return { uuid: '00000000-0000-4000-8000-000000000000', name: label, display_name: name };
}

export function passage(
  start: number,
  end: number,
  text: string,
  by: Spoken['speaker'] = null,
  words: Spoken['words'] = [],
): Spoken {
  return {
    start_time: start,
    end_time: end,
    text,
    speaker: by,
    words,
    confidence: null,
    edited: false,
    redactions: [],
  };
}

/** The words of a text, one after the other. */
export function timed(text: string, start: number, step = 0.5): Spoken['words'] {
  return text
    .split(' ')
    .map((word, i) => ({ word, start: start + i * step, end: start + (i + 1) * step, confidence: null }));
}

type Choice = {
  options?: Partial<Transcript['options']>;
  about?: Partial<About>;
  summary?: Transcript['summary'];
  comments?: Transcript['comments'];
  wordTemplate?: Transcript['wordTemplate'];
};

/** An export as bytes. */
export async function writtenBytes(format: Product, passages: readonly Spoken[], choice: Choice = {}) {
  const pieces: Uint8Array[] = [];
  const transcript: Transcript = {
    about: { ...about, ...choice.about },
    options: { ...defaultExportOptions, heading: false, ...choice.options },
    summary: choice.summary ?? null,
    comments: choice.comments ?? null,
    wordTemplate: choice.wordTemplate ?? null,
    link: 'https://overtone.example.org/files/1',
    segments: (async function* () {
      yield* passages;
    })(),
  };
  for await (const piece of writers[format](transcript))
    pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
  return Buffer.concat(pieces);
}

export async function written(format: Product, passages: readonly Spoken[], choice?: Choice): Promise<string> {
  return (await writtenBytes(format, passages, choice)).toString();
}

/** The lines of a PDF document, from the top of each page. */
export async function pdfLines(bytes: Uint8Array): Promise<string[]> {
  const pdf = await getDocumentProxy(new Uint8Array(bytes));
  const lines: string[] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    let parts: { str: string; dir: string }[] = [];
    for (const item of items) {
      if (!('str' in item)) continue;
      parts.push(item);
      if (!item.hasEOL && item !== items.at(-1)) continue;
      // The reader turns words, and keeps their order on the page.
      const line = parts.some(({ dir }) => dir === 'rtl') ? parts.toReversed() : parts;
      lines.push(line.map(({ str }) => str).join(''));
      parts = [];
    }
  }
  return lines;
}

/** The text of a response, also of one that is a Word document, a PDF document or an archive. */
export async function textIn(response: Response): Promise<string> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('wordprocessingml')) return (await mammoth.extractRawText({ buffer: bytes })).value;
  if (type === 'application/pdf') return (await pdfLines(bytes)).join('\n');
  if (type === 'application/zip')
    return Object.values(unzipSync(bytes))
      .map((file) => strFromU8(file))
      .join('\n');
  return bytes.toString();
}
