import {
  importNotes,
  type ImportEncoding,
  type ImportFormat,
  type ImportPreview,
  type Word,
} from '@overtone/contracts';
import { speakerLabel, speakerName } from '@overtone/contracts/speakers';
import { introducedNames, type Span } from '@overtone/redaction';
import { maskSegment, maskSpeaker, type Mask } from '../redaction/redaction.ts';
import type { Detector } from '../redaction/redaction.store.ts';
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
import { parseExportedJson } from './exported-json.ts';
import { importErrors } from './import-errors.ts';
import { parsePlainText } from './plain-text.ts';
import { parseSrt, parseVtt } from './subtitles.ts';
import { parseTtml } from './ttml.ts';

export type ImportSource = { filename: string; bytes: Uint8Array };
export type ImportOptions = {
  encoding?: ImportEncoding | undefined;
  speaker_prefixes?: boolean | undefined;
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
  json: parseExportedJson,
  text: parsePlainText,
};

/** Reads a transcript file completely. @throws AppError with the line and the reason when any part of it is not valid. */
export function readTranscript({ filename, bytes }: ImportSource, options: ImportOptions = {}): ImportedTranscript {
  const { text, encoding } = decodeText(bytes, options.encoding);
  if (text.trim() === '') throw importErrors.empty();
  const format = detectFormat(text, filename);
  const parsed = parsers[format](text, { speakerPrefixes: options.speaker_prefixes ?? true });
  const cues = parsed.cues.filter((cue) => cue.text !== '');
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
  if (begin.startsWith('{') && !begin.startsWith('{\\')) return 'json';
  if (begin.startsWith('<')) {
    if (/<(?:\w+:)?tt[\s>]/.test(begin) || ['ttml', 'dfxp', 'xml', 'imsc'].includes(extension)) return 'ttml';
    throw importErrors.formatUnknown();
  }
  if (/^.*\d\s*-->\s*-?\d/mu.test(begin) || extension === 'srt') return 'srt';
  const byExtension: Record<string, ImportFormat> = { vtt: 'webvtt', ttml: 'ttml', dfxp: 'ttml', json: 'json' };
  return byExtension[extension] ?? 'text';
}

const shownTurns = 10;
/** Passages after the shown ones that are scanned with them: a number may continue in the next passage. */
const reach = 6;

/** The preview as its reader would see the stored transcript. */
export async function previewOf(
  transcript: ImportedTranscript,
  mask: Mask,
  { find }: Pick<Detector, 'find'>,
): Promise<ImportPreview> {
  const { segments, title: _, ...about } = transcript;
  const spans = mask.kinds.size === 0 ? [] : await findSpans(transcript, find);
  // A text whose scan failed is withheld, like a stored one.
  const turnMask = spans ? mask : { ...mask, withholdsUnscanned: true };
  const shownNames = new Map(about.speakers.map((name, i) => [name, shownName(name, speakerLabel(i + 1), mask)]));
  return {
    ...about,
    speakers: [...shownNames.values()],
    segment_count: segments.length,
    word_count: segments.reduce((sum, { words }) => sum + words.length, 0),
    turns: segments.slice(0, shownTurns).map(({ start, end, speaker, text }, i) => {
      const found = (spans?.[i] ?? []).map((span) => ({ ...span, uuid: '' }));
      const turn = maskSegment({ text, words: [], speaker: null }, { found, scanned: spans !== undefined }, turnMask);
      return {
        start_time: start,
        end_time: end,
        speaker: speaker === null ? null : (shownNames.get(speaker) ?? null),
        text: turn.text.slice(0, 500).toWellFormed(),
      };
    }),
  };
}

function shownName(name: string, label: string, mask: Mask): string {
  return speakerName(maskSpeaker({ name: label, display_name: name }, mask));
}

/** The personal data of the shown passages; undefined when the scan fails. */
async function findSpans(
  { segments, speakers, language }: ImportedTranscript,
  find: Detector['find'],
): Promise<Span[][] | undefined> {
  const texts = segments.map(({ text }) => text);
  try {
    const knownNames = [...speakers, ...introducedNames(texts)];
    return await find(texts.slice(0, shownTurns + reach), { language, knownNames });
  } catch {
    return undefined;
  }
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
