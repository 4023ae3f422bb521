import {
  importNotes,
  type ImportEncoding,
  type ImportFormat,
  type ImportPreview,
  type Word,
} from '@overtone/contracts';
import { meanConfidence } from '../transcripts/transcripts.ts';
import {
  collapseText,
  maxPassageLetters,
  passageTooLong,
  type ImportedCue,
  type ParsedTranscript,
  type ParseOptions,
} from './cues.ts';
import { decodeText } from './encoding.ts';
import { isDocx, textOfDocx } from './docx.ts';
import { parseJsonTranscript } from './exported-json.ts';
import { importErrors } from './import-errors.ts';
import { frameLine, parseAss, parseMicroDvd, parseSbv, timeLine } from './other-subtitles.ts';
import { parsePlainText } from './plain-text.ts';
import { parseSrt, parseVtt } from './subtitles.ts';
import { parseTtml } from './ttml.ts';

export type ImportSource = { filename: string; bytes: Uint8Array };
export type ImportOptions = {
  encoding?: ImportEncoding | undefined;
  speaker_prefixes?: boolean | undefined;
  /** Instead of the recognised one. */
  format?: ImportFormat | undefined;
  /** Seconds that are added to all times. */
  shift?: number | undefined;
  /** Length of the recording: text without times is spread over it. */
  duration?: number | null;
};
export type ImportedSegment = {
  start: number;
  end: number;
  speaker: string | null;
  text: string;
  confidence: number | null;
  words: Word[];
};
export type ImportedTranscript = {
  format: ImportFormat;
  encoding: ImportEncoding;
  language: string | null;
  title: string | null;
  duration: number;
  speakers: string[];
  interpolated: boolean;
  untimed: boolean;
  notes: ImportPreview['notes'];
  segments: ImportedSegment[];
};

/** About 150 words a minute. */
const lettersPerSecond = 15;
const shortestSeconds = 0.1;
const maxSpeakers = 200;

const parsers: Record<ImportFormat, (text: string, options: ParseOptions) => ParsedTranscript> = {
  srt: parseSrt,
  webvtt: parseVtt,
  ttml: parseTtml,
  ass: parseAss,
  sbv: parseSbv,
  microdvd: parseMicroDvd,
  json: parseJsonTranscript,
  text: parsePlainText,
  docx: (text, options) => parsers[detectFormat(text, '')](text, options),
};

/** Reads a transcript file completely. @throws AppError with the line and the reason when any part of it is not valid. */
export function readTranscript({ filename, bytes }: ImportSource, options: ImportOptions = {}): ImportedTranscript {
  const { text, encoding } = isDocx(bytes)
    ? ({ text: textOfDocx(bytes), encoding: 'utf-8' } as const)
    : decodeText(bytes, options.encoding);
  if (text.trim() === '') throw importErrors.empty();
  const format = options.format ?? (isDocx(bytes) ? 'docx' : detectFormat(text, filename));
  const parsed = parsers[format](text, { speakerPrefixes: options.speaker_prefixes ?? true });
  const cues = parsed.cues.filter((cue) => cue.text !== '').map((cue) => shifted(cue, options.shift ?? 0));
  if (cues.length === 0) throw importErrors.empty();
  checkLimits(cues);
  const untimed = cues.every(({ start }) => start === null);
  const { segments, notes } = toSegments(fillTimes(cues, options.duration ?? null));
  return {
    format,
    encoding,
    language: languageOf(parsed.language),
    title: parsed.title === null ? null : collapseText(parsed.title).slice(0, 255) || null,
    duration: segments.reduce((latest, { end }) => Math.max(latest, end), 0),
    speakers: [...new Set(segments.flatMap(({ speaker }) => speaker ?? []))],
    interpolated: segments.some(({ words }) => words.some((word) => word.interpolated)),
    untimed,
    notes: importNotes
      .map((note) => ({ note, count: note === 'markup_removed' ? parsed.markupRemoved : notes[note] }))
      .filter(({ count }) => count > 0),
    segments,
  };
}

export function detectFormat(text: string, filename: string): ImportFormat {
  const extension = /\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? '';
  const begin = text.slice(0, 4096).trimStart();
  if (/^WEBVTT(\s|$)/.test(begin)) return 'webvtt';
  const [first = ''] = begin.split(/\r\n|\n|\r/, 1);
  if (frameLine.test(first)) return 'microdvd';
  if (/^\[(?:Script Info|Events)\]/im.test(begin)) return 'ass';
  if (timeLine.test(first) || (/^\[INFORMATION\]/i.test(begin) && extension === 'sub')) return 'sbv';
  if (begin.startsWith('{') && !begin.startsWith('{\\')) return 'json';
  if (begin.startsWith('<')) {
    if (/<(?:\w+:)?tt[\s>]/.test(begin) || ['ttml', 'dfxp', 'xml', 'imsc'].includes(extension)) return 'ttml';
    throw importErrors.formatUnknown();
  }
  if (/^.*\d\s*-->\s*-?\d/mu.test(begin) || extension === 'srt') return 'srt';
  const byExtension: Record<string, ImportFormat> = {
    vtt: 'webvtt',
    sbv: 'sbv',
    ass: 'ass',
    ssa: 'ass',
    ttml: 'ttml',
    dfxp: 'ttml',
    json: 'json',
  };
  return byExtension[extension] ?? 'text';
}

export const shownTurns = 10;
/** Passages after the shown ones that are scanned with them: a number may continue in the next passage. */
const reach = 6;

/** What a preview needs of a transcript. */
export type TranscriptSummary = Omit<ImportedTranscript, 'segments'> & {
  segment_count: number;
  word_count: number;
  first: Omit<ImportedSegment, 'words'>[];
  introduced: string[];
};

export async function summaryOf({ segments, ...about }: ImportedTranscript): Promise<TranscriptSummary> {
  // Its word lists take long to load and are not needed to read a transcript.
  const { introducedNames } = await import('@overtone/redaction');
  return {
    ...about,
    segment_count: segments.length,
    word_count: segments.reduce((sum, { words }) => sum + words.length, 0),
    first: segments.slice(0, shownTurns + reach).map(({ words: _, ...segment }) => segment),
    introduced: [...introducedNames(segments.map(({ text }) => text))],
  };
}

function checkLimits(cues: ImportedCue[]): void {
  const names = new Set<string>();
  for (const { line, text, speaker } of cues) {
    if (text.length > maxPassageLetters) throw importErrors.invalid(line, passageTooLong);
    if (speaker !== null) names.add(speaker);
    if (names.size > maxSpeakers)
      throw importErrors.invalid(
        line,
        `There are more than ${maxSpeakers} speakers. Text before a colon may not be a name.`,
      );
  }
}

function languageOf(language: string | null): string | null {
  return language !== null && /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/i.test(language) ? language.slice(0, 10) : null;
}

type TimedCue = ImportedCue & { start: number; end: number };

function shifted(cue: ImportedCue, by: number): ImportedCue {
  if (by === 0 || cue.start === null) return cue;
  return {
    ...cue,
    start: cue.start + by,
    end: cue.end === null ? null : cue.end + by,
    ...(cue.words ? { words: cue.words.map((word) => ({ ...word, start: word.start + by, end: word.end + by })) } : {}),
  };
}

/** Gives times to cues without: they share the time until the next known time in proportion to their text. */
function fillTimes(cues: ImportedCue[], duration: number | null): TimedCue[] {
  const timed: TimedCue[] = [];
  let at = 0;
  for (let i = 0; i < cues.length;) {
    let next = i + 1;
    while (next < cues.length && cues[next]?.start === null) next += 1;
    const group = cues.slice(i, next);
    const start = group[0]?.start ?? at;
    const known = next < cues.length ? cues[next]?.start : duration;
    timed.push(...spread(group, start, known ?? null));
    at = timed.at(-1)?.end ?? at;
    i = next;
  }
  return timed;
}

function spread(group: ImportedCue[], start: number, until: number | null): TimedCue[] {
  const [only] = group;
  if (group.length === 1 && only && only.end !== null) return [{ ...only, start, end: only.end }];
  const letters = group.reduce((sum, { text }) => sum + text.length, 0);
  const estimated = letters / lettersPerSecond;
  const available = until !== null && until > start ? until - start : estimated;
  // A long pause after a turn is not part of it; a text without any times fills the recording.
  const length = group[0]?.start === null ? available : Math.min(available, estimated * 1.5);
  let at = start;
  return group.map((cue) => {
    const from = at;
    at += (length * cue.text.length) / letters;
    return { ...cue, start: from, end: at };
  });
}

type Counts = Record<Exclude<(typeof importNotes)[number], 'markup_removed'>, number>;

/** Orders the cues and corrects times that cannot be shown. */
function toSegments(cues: TimedCue[]): { segments: ImportedSegment[]; notes: Counts } {
  const notes: Counts = { sorted: 0, overlapping: 0, negative_time: 0, no_length: 0 };
  const clamped = cues.map((cue) => {
    if (cue.start < 0 || cue.end < 0) notes.negative_time += 1;
    return { ...cue, start: milliseconds(Math.max(0, cue.start)), end: milliseconds(Math.max(0, cue.end)) };
  });
  clamped.forEach(({ start }, i) => {
    if (start < (clamped[i - 1]?.start ?? 0)) notes.sorted += 1;
  });
  const ordered = clamped.toSorted((left, right) => left.start - right.start);
  let latest = 0;
  const segments = ordered.map((cue, i) => {
    if (cue.end <= cue.start) notes.no_length += 1;
    const end = cue.end > cue.start ? cue.end : endOf(cue, ordered[i + 1]?.start);
    if (cue.start < latest) notes.overlapping += 1;
    latest = Math.max(latest, end);
    return toSegment({ ...cue, end });
  });
  return { segments, notes };
}

/** The end of a cue without a length: as long as its text takes, but not into the next cue. */
function endOf({ start, text }: TimedCue, next: number | undefined): number {
  const estimated = start + Math.max(0.5, text.length / lettersPerSecond);
  return milliseconds(Math.max(start + shortestSeconds, Math.min(estimated, next ?? estimated)));
}

function toSegment({ start, end, speaker, text, words }: TimedCue): ImportedSegment {
  const known = words && matchesText(words, { start, end, text }) ? words : interpolate(text, { start, end });
  return { start, end, speaker, text, confidence: meanConfidence(known), words: known };
}

/** Whether given words are those of the text, in order and within its time. */
function matchesText(words: Word[], { start, end, text }: { start: number; end: number; text: string }): boolean {
  if (collapseText(words.map(({ word }) => word).join(' ')) !== text) return false;
  return words.every(
    (word, i) =>
      word.end >= word.start && word.start >= Math.max(start - 1, words[i - 1]?.start ?? 0) && word.end <= end + 1,
  );
}

/** Words with times in proportion to their length. */
export function interpolate(text: string, { start, end }: { start: number; end: number }): Word[] {
  const tokens = text.split(/\s+/u).filter(Boolean);
  const letters = tokens.reduce((sum, token) => sum + token.length, 0);
  let at = start;
  return tokens.map((word) => {
    const from = at;
    at += ((end - start) * word.length) / letters;
    return { word, start: milliseconds(from), end: milliseconds(at), confidence: null, interpolated: true };
  });
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
