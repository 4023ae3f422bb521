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

const maxCues = 100_000;
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

/** Collects the cues of a file up to the limit. */
export function createCueList() {
  const cues: ImportedCue[] = [];
  return {
    cues,
    add: (cue: ImportedCue): void => {
      if (cues.length >= maxCues) throw importErrors.invalid(cue.line, `More than ${maxCues} cues.`);
      cues.push(cue);
    },
  };
}

export function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}
