import type { Word } from '@overtone/contracts';
import { importErrors } from './import-errors.ts';

/** A cue, caption or turn of an imported file. Times in seconds; null: the file has none. */
export type ImportedCue = {
  line: number;
  start: number | null;
  end: number | null;
  speaker: string | null;
  text: string;
  words?: Word[];
};
export type ParsedTranscript = {
  cues: ImportedCue[];
  language: string | null;
  title: string | null;
  /** Number of cues whose markup was removed. */
  markupRemoved: number;
};
export type ParseOptions = { speakerPrefixes: boolean };

/** Ten hours of subtitles have about 20,000. A larger file would delay other requests while it is read. */
const maxCues = 30_000;
/** Of one passage, as for an edit. */
export const maxPassageLetters = 20_000;
/** Of a line of plain text: ten hours of speech have 600,000. */
const maxLineLetters = 1_000_000;
/** With its markup: ends the reading of a hostile file before its passages are prepared. */
const maxRawLetters = 10 * maxPassageLetters;
/** Seconds: 10,000 hours. */
export const maxTime = 36_000_000;
const maxSpeakerLength = 200;
/** Tags that format text. Other text in angle brackets is kept, because it may have been said or shown. */
const formatTags = /<\/?(?:b|i|u|s|em|strong|font|c|ruby|rt|rp|lang|v|span)(?:[.\s][^<>]*)?\/?>/giu;
const lineBreakTags = /<br\s*\/?>/giu;
/** Positions and styles of Advanced SubStation Alpha: `{\an8}`. */
const overrides = /\{\\[^{}]*\}/gu;
/** Times inside a WebVTT cue. */
const innerTimes = /<(?:\d{2,}:)?\d{2}:\d{2}\.\d{3}>/gu;

export function removeMarkup(text: string): string {
  return text.replace(lineBreakTags, ' ').replace(formatTags, '').replace(innerTimes, '').replace(overrides, '');
}

export function collapseText(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
}

export function speakerNameOf(text: string): string | null {
  return collapseText(text).slice(0, maxSpeakerLength).toWellFormed() || null;
}

/** A name is at most six words before a colon and a space; a time or an address is none. */
const prefix = /^([\p{L}\p{N}][^:<>?!;\n]{0,79}?)\s?:\s+(?=\S)/u;

export function splitSpeakerPrefix(text: string): { speaker: string | null; text: string } {
  const name = prefix.exec(text)?.[1];
  const isName = name !== undefined && /\p{L}/u.test(name) && name.split(/\s+/u).length <= 6 && !/[.,]$/.test(name);
  if (!isName) return { speaker: null, text };
  return { speaker: speakerNameOf(name), text: text.replace(prefix, '') };
}

/** @throws AppError when a file has more cues than the limit. */
export function checkCueCount(count: number, line: number): void {
  if (count > maxCues) throw importErrors.invalid(line, `More than ${maxCues} cues.`);
}

/** @throws AppError when a passage cannot be short enough even without its markup. */
export function checkRawLength(letters: number, line: number): void {
  if (letters > maxRawLetters) throw importErrors.invalid(line, passageTooLong);
}

/** A whole transcript may be one line, which is divided. @throws AppError for a longer line. */
export function checkLineLength(text: string, line: number): void {
  if (text.length > maxLineLetters)
    throw importErrors.invalid(line, `This line has more than ${maxLineLetters} characters. Divide it.`);
}

export const passageTooLong = `This passage has more than ${maxPassageLetters} characters. Divide it.`;

/** @throws AppError for times that no recording has. */
export function checkTimes({ start, end, line }: Pick<ImportedCue, 'start' | 'end' | 'line'>): void {
  if (Math.max(Math.abs(start ?? 0), Math.abs(end ?? 0)) > maxTime)
    throw importErrors.invalid(line, `A time is beyond ${maxTime / 3600} hours.`);
}

/** Collects the cues of a file up to the limits. */
export function createCueList() {
  const cues: ImportedCue[] = [];
  return {
    cues,
    add: (cue: ImportedCue): void => {
      checkCueCount(cues.length + 1, cue.line);
      checkTimes(cue);
      cues.push(cue);
    },
  };
}

export function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}
