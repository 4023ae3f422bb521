import { decodeHTML } from 'entities';
import {
  checkCueCount,
  checkRawLength,
  collapseText,
  createCueList,
  linesOf,
  looksLikeName,
  removeMarkup,
  speakerNameOf,
  splitPrefixes,
} from './cues.ts';
import type { ParsedTranscript, ParseOptions } from './cues.ts';
import { importErrors } from './import-errors.ts';
import { withoutRepeats, type ShownBlock } from './rolling-captions.ts';

const clock = String.raw`(-)?(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?`;
const timing = new RegExp(String.raw`^\s*${clock}\s*-->\s*${clock}(?:\s.*)?$`, 'u');
const cueNumber = /^\s*\d+\s*$/;
const voice = /<v(?:\.[^\s<>]*)?(?:\s([^<>]*))?>/giu;
const ignoredBlocks = /^(?:NOTE|STYLE|REGION)(?:\s|$)/;
/** Times inside a WebVTT cue. */
const innerTime = /<((?:\d{2,}:)?\d{2}:\d{2}\.\d{3})>/gu;

type Block = { line: number; start: number; end: number; payload: string[]; letters: number };
type Reader = { lines: string[]; isVtt: boolean };

/** SubRip: https://matroska.org/technical/subtitles.html#srt-subtitles */
export function parseSrt(text: string, options: ParseOptions): ParsedTranscript {
  return toTranscript(readBlocks({ lines: linesOf(text), isVtt: false }, 0), options);
}

/** WebVTT: https://www.w3.org/TR/webvtt1/ */
export function parseVtt(text: string, options: ParseOptions): ParsedTranscript {
  const lines = linesOf(text);
  if (!/^\uFEFF?WEBVTT(?:[ \t].*)?$/.test(lines[0] ?? '')) {
    throw importErrors.invalid(1, 'A WebVTT file begins with the line "WEBVTT".');
  }
  let header = 1;
  while (header < lines.length && !isBlank(lines[header]) && !timing.test(lines[header] ?? '')) header += 1;
  return toTranscript(readBlocks({ lines, isVtt: true }, header), options);
}
function isBlank(line: string | undefined): boolean {
  return (line ?? '').trim() === '';
}

/** Reads cues separated by blank lines. A block without times continues the text of the cue before it. */
function readBlocks({ lines, isVtt }: Reader, from: number): Block[] {
  const blocks: Block[] = [];
  let at = from;
  while (at < lines.length) {
    if (isBlank(lines[at])) {
      at += 1;
      continue;
    }
    const begin = at;
    while (at < lines.length && !isBlank(lines[at])) at += 1;
    if (isVtt && ignoredBlocks.test(lines[begin] ?? '')) continue;
    readBlock(blocks, lines.slice(begin, at), begin + 1);
  }
  return blocks;
}

function readBlock(blocks: Block[], block: string[], firstLine: number): void {
  const [head = '', second = ''] = block;
  const hasIdentifier = !timing.test(head) && second.includes('-->');
  block.forEach((line, i) => {
    if (hasIdentifier && i === 0) return;
    const matched = timing.exec(line);
    const open = blocks.at(-1);
    if (matched) {
      // Without a blank line between cues, the number of this cue is the last line of the one before.
      const numberedInside = i > (hasIdentifier ? 1 : 0) && cueNumber.test(open?.payload.at(-1) ?? '');
      if (open && numberedInside) open.payload.pop();
      checkCueCount(blocks.length + 1, firstLine + i);
      blocks.push({ line: firstLine + i, ...timesOf(matched, firstLine + i), payload: [], letters: 0 });
    } else if (line.includes('-->') && (i === 0 || (i === 1 && cueNumber.test(head)))) {
      throw importErrors.invalid(
        firstLine + i,
        'The times of this cue cannot be read, as in 00:00:01,000 --> 00:00:02,500.',
      );
    } else if (open) {
      open.letters += line.length;
      checkRawLength(open.letters, open.line);
      open.payload.push(line);
    } else {
      throw importErrors.invalid(firstLine + i, 'A cue begins with its times, as in 00:00:01,000 --> 00:00:02,500.');
    }
  });
}

function timesOf(matched: RegExpExecArray, line: number): { start: number; end: number } {
  return { start: secondsOf(matched.slice(1, 6), line), end: secondsOf(matched.slice(6, 11), line) };
}

function secondsOf([sign, hours, minutes, seconds, fraction]: (string | undefined)[], line: number): number {
  if (Number(minutes) > 59 || Number(seconds) > 59)
    throw importErrors.invalid(line, 'Minutes and seconds of a time must be below 60.');
  const whole = Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds);
  return (sign ? -1 : 1) * (whole + Number((fraction ?? '0').padEnd(3, '0')) / 1000);
}

function toTranscript(blocks: Block[], options: ParseOptions): ParsedTranscript {
  const list = createCueList();
  let markupRemoved = 0;
  const parts = withNameLines(blocks).flatMap((block) => {
    const payload = block.payload.join('\n');
    const unvoiced = payload.replace(voice, '');
    if (removeMarkup(unvoiced) !== unvoiced.replaceAll('</v>', '')) markupRemoved += 1;
    return cuesOf(block, payload);
  });
  for (const cue of splitPrefixes(withoutRepeats(parts), options)) list.add(cue);
  return { cues: list.cues, language: null, title: null, markupRemoved };
}

/** Each block of a Teams transcript begins with a line that is the speaker's name. */
function withNameLines(blocks: Block[]): (Block & { speaker: string | null })[] {
  const names = blocks.map(({ payload: [first = ''] }) => collapseText(first));
  const distinct = new Set(names);
  const areNames =
    blocks.length > 1 &&
    distinct.size * 2 <= blocks.length &&
    blocks.every(({ payload }, i) => payload.length > 1 && looksLikeName(names[i] ?? ''));
  return blocks.map((block, i) =>
    areNames ? { ...block, payload: block.payload.slice(1), speaker: names[i] ?? null } : { ...block, speaker: null },
  );
}

/** One cue for each voice of the block; several voices share its time in proportion to their text. */
function cuesOf(
  { line, start, end, speaker: named }: Block & { speaker: string | null },
  payload: string,
): ShownBlock[] {
  const parts = voicesOf(payload).flatMap(({ speaker, text }) => {
    const said = textOf(text);
    if (said === '') return [];
    return [{ speaker: speaker === null ? named : speakerNameOf(decodeHTML(speaker)), text: said, raw: text }];
  });
  const letters = parts.reduce((sum, { text }) => sum + text.length, 0);
  let at = start;
  return parts.map(({ raw, ...part }) => {
    const from = at;
    at += ((end - start) * part.text.length) / letters;
    const times = { start: from, end: parts.length === 1 ? end : at };
    return { line, ...times, ...part, pieces: parts.length === 1 ? piecesOf(raw, times) : [] };
  });
}

function textOf(markup: string): string {
  return collapseText(decodeHTML(removeMarkup(markup)));
}

/** The texts between the times inside a cue; empty without such times. */
function piecesOf(markup: string, { start, end }: { start: number; end: number }): ShownBlock['pieces'] {
  // An odd part is a time.
  const parts = markup.split(innerTime);
  if (parts.length === 1) return [];
  const times = parts.filter((_, i) => i % 2 === 1).map((time) => timeOf(time));
  return parts
    .filter((_, i) => i % 2 === 0)
    .map((text, i) => ({ text: textOf(text), start: times[i - 1] ?? start, end: times[i] ?? end }));
}

function timeOf(time: string): number {
  return time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

function voicesOf(payload: string): { speaker: string | null; text: string }[] {
  const voices: { speaker: string | null; text: string }[] = [];
  let speaker: string | null = null;
  let at = 0;
  for (const found of payload.matchAll(voice)) {
    voices.push({ speaker, text: payload.slice(at, found.index) });
    speaker = (found[1] ?? '').trim() || null;
    at = found.index + found[0].length;
  }
  return [...voices, { speaker, text: payload.slice(at) }];
}
