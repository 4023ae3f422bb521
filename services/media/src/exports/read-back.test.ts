import { describe, expect, it } from '@jest/globals';
import { exportFormatNames, type ExportFormat } from '@overtone/contracts/export-formats';
import { strFromU8, unzipSync } from 'fflate';
import { passage, pdfLines, speaker, timed, writtenBytes } from '../../test/exports.ts';
import { parseXml, textOf, type XmlElement } from '../../test/xml.ts';
import { schemaErrors } from '../../test/word-schema.ts';
import { imscErrors } from '../../test/imsc.ts';
import type { Spoken } from './spoken.ts';

// Each format is read by a reader that shares no code with its writer: strict XML parsers, and the rules of the format.

type Said = { speaker: string; start: number; text: string };

const ada = speaker('Ada & Söhne <Ltd>');
const ben = speaker('بن عمر', 'SPEAKER_02');
const talk = [
  [0, ada, 'Good morning, "everybody" & welcome <here>.'],
  [4.25, ben, 'مرحبا بكم في الاجتماع'],
  [9.5, ada, '今日の会議を始めます。'],
  [15, null, 'Somebody without a name 👩‍👩‍👧 speaks --> now'],
] as const;
const passages: Spoken[] = talk.map(([start, by, text]) =>
  passage(start, start + 3, text, by, timed(text, start, 0.3)),
);
const about = { duration: 18, speakers: [ada, ben].map((by) => ({ ...by, talk_time: 3 })) };
const spoken: Said[] = talk.map(([start, by, text]) => ({ speaker: by?.display_name ?? '', start, text }));

async function bytesOf(format: ExportFormat, options = {}): Promise<Uint8Array> {
  const chosen = {
    names: 'each',
    paragraphs: 'passages',
    cues: 'passages',
    heading: true,
    participants: true,
  } as const;
  return writtenBytes(format, passages, { about, options: { ...chosen, line_numbers: format === 'docx', ...options } });
}

function seconds(clock: string): number {
  return clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

/** Readers of the formats. Formats that write whole seconds are compared so. */
const readers: Readonly<Record<ExportFormat, (bytes: Uint8Array) => Said[] | Promise<Said[]>>> = {
  docx: (bytes) => {
    const body = parseXml(strFromU8(unzipSync(bytes)['word/document.xml'] ?? new Uint8Array()));
    const styled = elementsIn(body, 'w:p').map((paragraph) => ({
      style: elementsIn(paragraph, 'w:pStyle')[0]?.attributes['w:val'],
      text: elementsIn(paragraph, 'w:t').map(textOf).join(''),
    }));
    // The head of the table of speakers has the style of a speaker, too.
    const transcript = styled.slice(styled.findIndex(({ text }) => text === 'Transcript'));
    const heads = transcript.filter(({ style }) => style === 'Speaker').map(({ text }) => headOf(text));
    const texts = transcript.filter(({ style }) => style === 'Passage').map(({ text }) => text);
    return texts.map((text, i) => ({ speaker: '', start: -1, ...heads[i], text }));
  },
  pdf: async (bytes) => {
    const lines = (await pdfLines(bytes)).map((line) => line.trim());
    const transcript = lines.slice(lines.indexOf('Transcript') + 1, -1);
    const heads = transcript
      .map((line, i) => ({ i, time: /\d\d:\d\d:\d\d/.exec(line)?.[0] }))
      .filter(({ time }) => time);
    return heads.map(({ i, time = '' }, at) => ({
      speaker: transcript[i]?.replace(time, '').trim() ?? '',
      start: seconds(time),
      text: transcript.slice(i + 1, heads[at + 1]?.i).join(' '),
    }));
  },
  html: (bytes) =>
    [...strFromU8(bytes).matchAll(/<p class="passage"[^>]*>(.*?)<br>(.*?)<\/p>/gs)].map(([, head = '', text = '']) => ({
      speaker: decode(/<bdi class="speaker">(.*?)<\/bdi>/.exec(head)?.[1] ?? ''),
      start: seconds(/<time>(.*?)<\/time>/.exec(head)?.[1] ?? ''),
      text: decode(text),
    })),
  markdown: (bytes) =>
    strFromU8(bytes)
      .split('## Transcript\n\n')[1]
      ?.split('\n\n')
      .map((paragraph) => {
        const [head = '', text = ''] = paragraph.split('  \n');
        const { speaker: name, start } = headOf(head.replace(/^\*\*(.*)\*\*/, '$1'));
        return { speaker: unescaped(name), start, text: unescaped(text).trimEnd() };
      }) ?? [],
  txt: (bytes) =>
    strFromU8(bytes)
      .split('\n\n')
      .filter((paragraph) => paragraph.includes(' [00') || paragraph.startsWith('[00'))
      .map((paragraph) => {
        const [head = '', text = ''] = paragraph.trimEnd().split('\n');
        return { ...headOf(head.replace(/\[(.*)\]/, '$1')), text };
      }),
  srt: (bytes) =>
    strFromU8(bytes)
      .trimEnd()
      .split('\n\n')
      .map((cue) => {
        const [, times = '', ...lines] = cue.split('\n');
        const text = joined(lines);
        const name = spoken.find((said) => said.speaker !== '' && text.startsWith(`${said.speaker}: `))?.speaker ?? '';
        const said = text.slice(name === '' ? 0 : name.length + 2).replace('→', '-->');
        return { speaker: name, start: seconds(times.slice(0, 12).replace(',', '.')), text: said };
      }),
  webvtt: (bytes) =>
    strFromU8(bytes)
      .trimEnd()
      .split('\n\n')
      .slice(1)
      .map((cue) => {
        const [times = '', ...lines] = cue.split('\n');
        const [, name = '', text = ''] = /^(?:<v ([^>]*)>)?(.*)$/s.exec(joined(lines)) ?? [];
        return { speaker: decode(name), start: seconds(times.slice(0, 12)), text: decode(text) };
      }),
  ttml: (bytes) => {
    const root = parseXml(strFromU8(bytes));
    expect(imscErrors(root)).toEqual([]);
    const names = new Map(
      elementsIn(root, 'ttm:agent').map((agent) => [agent.attributes['xml:id'], textOf(agent).trim()]),
    );
    return elementsIn(root, 'p').map((cue) => ({
      speaker: names.get(cue.attributes['ttm:agent'] ?? '') ?? '',
      start: seconds(cue.attributes['begin'] ?? ''),
      text: joined(cue.children.filter((child) => typeof child === 'string')),
    }));
  },
  csv: (bytes) =>
    readCsv(strFromU8(bytes))
      .slice(1)
      .map(([start = '', , name = '', text = '']) => ({ speaker: name, start: seconds(start), text })),
  json: (bytes) => {
    type Exported = {
      speakers: { label: string; name: string }[];
      segments: { start_time: number; speaker: string | null; text: string }[];
    };
    const { speakers, segments } = JSON.parse(strFromU8(bytes)) as Exported;
    return segments.map(({ start_time: start, speaker: label, text }) => ({
      speaker: speakers.find((one) => one.label === label)?.name ?? '',
      start,
      text,
    }));
  },
  otr: (bytes) => {
    const { text, media } = JSON.parse(strFromU8(bytes)) as { text: string; media: string };
    expect(media).toBe('talk.wav');
    return elementsIn(parseXml(`<body>${text}</body>`), 'p').map((paragraph) => {
      const shown = textOf(paragraph).replace(/^\S+ /, '');
      const name = spoken.find((said) => said.speaker !== '' && shown.startsWith(`${said.speaker}: `))?.speaker ?? '';
      const start = Number(elementsIn(paragraph, 'span')[0]?.attributes['data-timestamp']);
      return { speaker: name, start, text: name === '' ? shown : shown.slice(name.length + 2) };
    });
  },
  qdpx: (bytes) => {
    const files = unzipSync(bytes);
    const root = parseXml(strFromU8(files['project.qde'] ?? new Uint8Array()));
    const transcript = elementsIn(root, 'Transcript')[0];
    const path = transcript?.attributes['plainTextPath']?.replace('internal://', 'sources/') ?? '';
    // Positions of the format are characters of Unicode.
    const characters = Array.from(strFromU8(files[path] ?? new Uint8Array()));
    const points = elementsIn(root, 'SyncPoint').map(({ attributes }) => ({
      position: Number(attributes['position']),
      start: Number(attributes['timeStamp']) / 1000,
    }));
    return points.slice(0, -1).map(({ position, start }, i) => {
      const line = characters
        .slice(position, points[i + 1]?.position)
        .join('')
        .trimEnd();
      const name = spoken.find((said) => said.speaker !== '' && line.startsWith(`${said.speaker}: `))?.speaker ?? '';
      return { speaker: name, start, text: name === '' ? line : line.slice(name.length + 2) };
    });
  },
};
const wholeSeconds = new Set<ExportFormat>(['docx', 'pdf', 'html', 'markdown', 'txt']);

/** The fonts of PDF have no pictures; two joined Arabic letters are one form, whose letters are read in either order. */
function asInPdf({ speaker: name, start, text }: Said): Said {
  const comparable = (part: string): string =>
    part
      .replaceAll(/[\p{Extended_Pictographic}\u200d\0]/gu, '')
      .replaceAll(/\p{Script=Arabic}+/gu, (word) => Array.from(word).toSorted().join(''));
  return { speaker: comparable(name), start, text: comparable(text) };
}

function elementsIn(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => {
    if (typeof child === 'string') return [];
    return [...(child.name === name ? [child] : []), ...elementsIn(child, name)];
  });
}

/** `Ada 00:00:01` */
function headOf(head: string): { speaker: string; start: number } {
  const [, name = '', time = ''] = /^(.*?) *(\d\d:\d\d:\d\d)$/.exec(head) ?? [];
  return { speaker: name, start: seconds(time) };
}

/** A line ends in place of a space; text without spaces has none. */
function joined(lines: readonly string[]): string {
  return lines.join(' ');
}

function decode(text: string): string {
  return textOf(parseXml(`<t>${text}</t>`));
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([^\w\s])/g, '$1');
}

/** RFC 4180. */
function readCsv(text: string): string[][] {
  return text
    .replace(/^\uFEFF/, '')
    .split('\r\n')
    .filter((row) => row !== '')
    .map((row) =>
      [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
      ),
    );
}

describe('an export read by an independent reader', () => {
  it.each(exportFormatNames)('has the words, order, speakers and times of the transcript as %s', async (format) => {
    const said = await readers[format](await bytesOf(format));
    const expected = spoken.map((one) => ({
      ...one,
      start: wholeSeconds.has(format) ? Math.floor(one.start) : one.start,
    }));
    if (format === 'pdf') expect(said.map(asInPdf)).toEqual(expected.map(asInPdf));
    else expect(said).toEqual(expected);
  });

  it('is a Word document whose parts keep the schema of Office Open XML', async () => {
    const summary = { participants: true, names: 'initials', uncertain: true };
    for (const options of [{}, summary]) expect(schemaErrors(unzipSync(await bytesOf('docx', options)))).toEqual([]);
  });
});

describe('a PDF document', () => {
  it('numbers its pages, and its lines from the top of each page', async () => {
    const many = Array.from({ length: 60 }, (_, i) => passage(i * 3, i * 3 + 2, `Sentence ${i} of the talk.`, ada));
    const options = { paragraphs: 'passages', names: 'none', times: 'none', line_numbers: true } as const;
    const lines = await pdfLines(await writtenBytes('pdf', many, { options }));
    const pages = lines.flatMap((line, i) => (/^\d+ \/ \d+$/.test(line.trim()) ? [i] : []));
    expect(pages.map((i) => lines[i])).toEqual(pages.map((_, i) => `${i + 1} / ${pages.length}`));
    expect(pages.length).toBeGreaterThan(1);
    expect(lines[0]).toMatch(/^1 *Sentence 0 of/);
    expect(lines[(pages[0] ?? 0) + 1]).toMatch(/^1 *Sentence \d+ of/);
  });
});

describe('the check of the schema of a Word document', () => {
  it('finds a wrong order of properties, a missing part and malformed XML', async () => {
    const files = unzipSync(await bytesOf('docx'));
    const body = strFromU8(files['word/document.xml'] ?? new Uint8Array());
    const changed = (text: string) => schemaErrors({ ...files, 'word/document.xml': new TextEncoder().encode(text) });
    expect(changed(body.replace('<w:pStyle', '<w:jc w:val="left"/><w:pStyle')).join()).toContain('w:pStyle');
    expect(changed(body.replace('</w:body>', '')).join()).toContain('word/document.xml');
    const { 'word/styles.xml': _, ...rest } = files;
    expect(schemaErrors(rest).join()).toContain('styles.xml');
  });
});

describe('the check of IMSC 1.1 text', () => {
  it('finds an unknown region, a wrong time and an image', async () => {
    const ttml = strFromU8(await bytesOf('ttml'));
    const changed = (from: string | RegExp, to: string) => imscErrors(parseXml(ttml.replace(from, to))).join();
    expect(changed('region="bottom"', 'region="top"')).toContain('region');
    expect(changed(/begin="[^"]*"/, 'begin="12:00"')).toContain('begin');
    expect(changed('<div>', '<div><image/>')).toContain('image');
    expect(changed(' xml:lang="en"', '')).toContain('xml:lang');
  });
});
