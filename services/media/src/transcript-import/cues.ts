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
/** Ten hours of speech have about 115,000. Each is an object in memory and a row of the times of words. */
const maxWords = 400_000;
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

/** At most six words before a colon and a space; a time or an address is none. */
const prefix = /^([\p{L}\p{N}][^:<>?!;\n]{0,79}?)\s?:\s+(?=\S)/u;
/** Words of a name: capitals, numbers and scripts without capitals, and the particles between them. */
const nameWord = /^(?:[\p{Lu}\p{Lt}\p{Lo}\p{N}(]|(?:van|von|der|den|de|la|da|di|el|al|bin|of|and|und|y|e)$)/u;
const ordinaryWords = new Set(
  'note remember warning example question answer result summary conclusion problem solution reason fact agenda hinweis achtung beispiel frage antwort ergebnis fazit problem'.split(
    ' ',
  ),
);

function prefixOf(text: string): string | null {
  const name = prefix.exec(text)?.[1];
  if (name === undefined || !/\p{L}/u.test(name) || /[.,]$/.test(name) || name.split(/\s+/u).length > 6) return null;
  return speakerNameOf(name);
}

export function looksLikeName(name: string): boolean {
  const words = name.split(' ');
  if (words.length > 4 || ordinaryWords.has(name.toLowerCase())) return false;
  return words.every((word) => nameWord.test(word)) || /^speaker[ _-]?\d+$/i.test(name);
}

/**
 * Which texts before a colon are speakers. A sentence may contain a colon, too: a name looks like one, and it is repeated, or
 * the first or most of the texts begin with names.
 */
export function findPrefixNames(texts: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  let named = 0;
  for (const text of texts) {
    const name = prefixOf(text);
    if (name === null) continue;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (looksLikeName(name)) named += 1;
  }
  const first = prefixOf(texts[0] ?? '');
  const isDialogue = named * 2 >= texts.length || (first !== null && looksLikeName(first));
  const names = [...counts].filter(([name, count]) =>
    looksLikeName(name) ? count > 1 || isDialogue : count > 2 && name.split(' ').length <= 3,
  );
  return new Set(names.map(([name]) => name));
}

export function splitSpeakerPrefix(text: string, names: ReadonlySet<string>): { speaker: string | null; text: string } {
  const speaker = prefixOf(text);
  if (speaker === null || !names.has(speaker)) return { speaker: null, text };
  return { speaker, text: text.replace(prefix, '') };
}

/** Takes the speakers before the texts of cues that name none otherwise. */
export function splitPrefixes(cues: readonly ImportedCue[], { speakerPrefixes }: ParseOptions): ImportedCue[] {
  if (!speakerPrefixes) return [...cues];
  const names = findPrefixNames(cues.filter(({ speaker }) => speaker === null).map(({ text }) => text));
  return cues.map((cue) => {
    if (cue.speaker !== null) return cue;
    const { words, ...rest } = cue;
    const split = splitSpeakerPrefix(cue.text, names);
    // The words of the name are no longer those of the text.
    return split.speaker === null ? cue : { ...rest, ...split };
  });
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

/** Without a list of them: a text of one-letter words has millions. */
function countWords(collapsed: string): number {
  let count = collapsed === '' ? 0 : 1;
  for (let at = collapsed.indexOf(' '); at >= 0; at = collapsed.indexOf(' ', at + 1)) count += 1;
  return count;
}

/** @throws AppError for more words than a transcript may have. */
export function checkWordCount(count: number): void {
  if (count > maxWords) throw importErrors.tooManyWords(maxWords);
}

/** Collects the cues of a file up to the limits. */
export function createCueList() {
  const cues: ImportedCue[] = [];
  let words = 0;
  return {
    cues,
    add: (cue: ImportedCue): void => {
      checkCueCount(cues.length + 1, cue.line);
      checkTimes(cue);
      words += countWords(cue.text);
      checkWordCount(words);
      cues.push(cue);
    },
  };
}

export function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}
