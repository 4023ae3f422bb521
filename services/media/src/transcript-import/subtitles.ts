import {
  checkCueCount,
  checkRawLength,
  collapseText,
  createCueList,
  linesOf,
  removeMarkup,
  speakerNameOf,
  splitSpeakerPrefix,
} from './cues.ts';
import type { ImportedCue, ParsedTranscript, ParseOptions } from './cues.ts';
import { importErrors } from './import-errors.ts';

const clock = String.raw`(-)?(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?`;
const timing = new RegExp(String.raw`^\s*${clock}\s*-->\s*${clock}(?:\s.*)?$`, 'u');
const cueNumber = /^\s*\d+\s*$/;
const voice = /<v(?:\.[^\s<>]*)?(?:\s([^<>]*))?>/giu;
const ignoredBlocks = /^(?:NOTE|STYLE|REGION)(?:\s|$)/;

type Block = { line: number; start: number; end: number; payload: string[]; letters: number };
type Reader = { lines: string[]; isVtt: boolean };

/** SubRip: https://matroska.org/technical/subtitles.html#srt-subtitles */
export function parseSrt(text: string, options: ParseOptions): ParsedTranscript {
  return toTranscript(readBlocks({ lines: linesOf(text), isVtt: false }, 0), options, (payload) => payload);
}

/** WebVTT: https://www.w3.org/TR/webvtt1/ */
export function parseVtt(text: string, options: ParseOptions): ParsedTranscript {
  const lines = linesOf(text);
  if (!/^\uFEFF?WEBVTT(?:[ \t].*)?$/.test(lines[0] ?? '')) {
    throw importErrors.invalid(1, 'A WebVTT file begins with the line "WEBVTT".');
  }
  let header = 1;
  while (header < lines.length && !isBlank(lines[header]) && !timing.test(lines[header] ?? '')) header += 1;
  return toTranscript(readBlocks({ lines, isVtt: true }, header), options, decodeEntities);
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

function toTranscript(blocks: Block[], options: ParseOptions, decode: (text: string) => string): ParsedTranscript {
  const list = createCueList();
  let markupRemoved = 0;
  for (const block of blocks) {
    const payload = block.payload.join('\n');
    if (removeMarkup(payload.replace(voice, '')) !== payload.replace(voice, '').replaceAll('</v>', ''))
      markupRemoved += 1;
    for (const cue of cuesOf(block, payload, decode, options)) list.add(cue);
  }
  return { cues: list.cues, language: null, title: null, markupRemoved };
}

/** One cue for each voice of the block; several voices share its time in proportion to their text. */
function cuesOf(
  { line, start, end }: Block,
  payload: string,
  decode: (text: string) => string,
  { speakerPrefixes }: ParseOptions,
): ImportedCue[] {
  const parts = voicesOf(payload).flatMap(({ speaker, text }) => {
    const said = collapseText(decode(removeMarkup(text)));
    if (said === '') return [];
    if (speaker !== null) return [{ speaker: speakerNameOf(decode(speaker)), text: said }];
    return [speakerPrefixes ? splitSpeakerPrefix(said) : { speaker: null, text: said }];
  });
  const letters = parts.reduce((sum, { text }) => sum + text.length, 0);
  let at = start;
  return parts.map((part) => {
    const from = at;
    at += ((end - start) * part.text.length) / letters;
    return { line, start: from, end: parts.length === 1 ? end : at, ...part };
  });
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

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  lrm: '\u200e',
  rlm: '\u200f',
};

function decodeEntities(text: string): string {
  return text.replace(/&(\w{2,5});/g, (whole, name: string) => entities[name] ?? whole);
}
