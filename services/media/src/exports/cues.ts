import type { SegmentObject, Word } from '@overtone/contracts';
import { speakerName } from '@overtone/contracts/speakers';

export type Spoken = Pick<
  SegmentObject,
  'start_time' | 'end_time' | 'text' | 'speaker' | 'words' | 'confidence' | 'edited'
>;
export type Cue = { start: number; end: number; speaker: string | null; text: string };

/** Two lines of 42 characters, shown for at least 5/6 s (20 frames of 24) and at most 7 s. */
const lineLength = 42;
const maxSeconds = 7;
const minSeconds = 0.833;
/** A longer pause ends a cue. */
const pauseSeconds = 1.5;
/** Cues shorter than these are joined with the one before or after. */
const minCharacters = 15;

export function collapseWhitespace(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

export function speakerOf({ speaker }: Pick<Spoken, 'speaker'>): string | null {
  return speaker ? collapseWhitespace(speakerName(speaker)) : null;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function charactersOf(text: string): string[] {
  return [...graphemes.segment(text)].map(({ segment }) => segment);
}

function lengthOf(text: string): number {
  return charactersOf(text).length;
}

/** A piece of text that is not broken: a word, or a part of one that is longer than a line (Chinese has no spaces). */
type Piece = { text: string; start: number; end: number; joined: boolean };

/** Lines of at most 42 characters; two of about equal length where two are enough. */
export function wrapLines(text: string): string[] {
  if (lengthOf(text) <= lineLength) return [text];
  return splitBalanced(text) ?? splitGreedily(text);
}

function splitBalanced(text: string): string[] | undefined {
  let best: string[] | undefined;
  let bestLength = lineLength + 1;
  for (let index = text.indexOf(' '); index >= 0; index = text.indexOf(' ', index + 1)) {
    const lines = [text.slice(0, index), text.slice(index + 1)];
    const longest = Math.max(...lines.map(lengthOf));
    if (longest < bestLength) [best, bestLength] = [lines, longest];
  }
  return best;
}

function splitGreedily(text: string): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ').flatMap(partsOf)) {
    const line = lines.at(-1) ?? '';
    const longer = word.joined || line === '' ? line + word.text : `${line} ${word.text}`;
    if (lengthOf(longer) <= lineLength) lines[lines.length - 1] = longer;
    else lines.push(word.text);
  }
  return lines;
}

/** A word in parts that fit into a line. */
function partsOf(word: string): { text: string; joined: boolean }[] {
  const characters = charactersOf(word);
  if (characters.length <= lineLength) return [{ text: word, joined: false }];
  return Array.from({ length: Math.ceil(characters.length / lineLength) }, (_, i) => ({
    text: characters.slice(i * lineLength, (i + 1) * lineLength).join(''),
    joined: i > 0,
  }));
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.reduce(
    (text, piece) => (text === '' || piece.joined ? text + piece.text : `${text} ${piece.text}`),
    '',
  );
}

export type CueOptions = {
  /** The text in front of a speaker's cue; it counts towards the line length. */
  prefixOf?: (speaker: string | null) => string;
};

/** Converts segments to subtitle cues with the times of their words; cues never overlap. */
export function toCues(segments: readonly Spoken[], { prefixOf = () => '' }: CueOptions = {}): Cue[] {
  const ordered = segments.toSorted((left, right) => left.start_time - right.start_time);
  return adjustTimes(
    joinShort(
      ordered.flatMap((segment) => cuesOf(segment, prefixOf)),
      prefixOf,
    ),
  );
}

function cuesOf(segment: Spoken, prefixOf: (speaker: string | null) => string): Cue[] {
  const speaker = speakerOf(segment);
  const prefix = prefixOf(speaker);
  const cues: Cue[] = [];
  let open: Piece[] = [];
  const close = (): void => {
    const [first, last] = [open[0], open.at(-1)];
    if (first && last) cues.push({ start: first.start, end: last.end, speaker, text: textOf(open) });
    open = [];
  };
  for (const piece of piecesOf(segment)) {
    const longer = [...open, piece];
    const [first, last] = [open[0] ?? piece, open.at(-1) ?? piece];
    const full = !fits(prefix + textOf(longer)) || piece.end - first.start > maxSeconds;
    const pause = piece.start - last.end > pauseSeconds;
    if (open.length > 0 && (full || pause || endsSentence(textOf(open)))) close();
    open.push(piece);
  }
  close();
  return cues;
}

function fits(text: string): boolean {
  const lines = wrapLines(text);
  return lines.length <= 2;
}

/** A sentence that fills most of a line ends its cue. */
function endsSentence(text: string): boolean {
  return text.length > lineLength && /[.!?…。！？]["'”’)]*$/u.test(text);
}

/** The segment's words with their times; words of an edited text share the segment's time. */
function piecesOf(segment: Spoken): Piece[] {
  const text = collapseWhitespace(segment.text);
  if (text === '') return [];
  const words = segment.words.filter(({ word }) => collapseWhitespace(word) !== '');
  const known = collapseWhitespace(words.map(({ word }) => word).join(' ')) === text;
  return (known ? words : estimateWordTimes(text, segment)).flatMap(({ word, start, end }) => {
    const parts = partsOf(collapseWhitespace(word));
    const step = (end - start) / parts.length;
    return parts.map((part, i) => ({ ...part, start: start + i * step, end: start + (i + 1) * step }));
  });
}

function estimateWordTimes(
  text: string,
  { start_time: start, end_time: end }: Spoken,
): Pick<Word, 'word' | 'start' | 'end'>[] {
  const tokens = text.split(' ');
  const letters = tokens.reduce((sum, token) => sum + token.length, 0);
  let time = start;
  return tokens.map((word) => {
    const from = time;
    time += ((end - start) * word.length) / letters;
    return { word, start: from, end: time };
  });
}

function isShort({ start, end, text }: Cue): boolean {
  return end - start < minSeconds || lengthOf(text) < minCharacters;
}

/** Joins a cue that is too short to read with the same speaker's cue before or after it, if the result fits. */
function joinShort(cues: Cue[], prefixOf: (speaker: string | null) => string): Cue[] {
  const joined: Cue[] = [];
  for (const cue of cues) {
    const last = joined.at(-1);
    const both = last && { ...last, end: Math.max(last.end, cue.end), text: `${last.text} ${cue.text}` };
    const canJoin =
      last &&
      both &&
      (isShort(last) || isShort(cue)) &&
      last.speaker === cue.speaker &&
      cue.start - last.end <= pauseSeconds &&
      both.end - both.start <= maxSeconds &&
      fits(prefixOf(last.speaker) + both.text);
    if (canJoin) joined[joined.length - 1] = both;
    else joined.push(cue);
  }
  return joined;
}

/** Removes overlaps and extends short cues where the gaps before and after them allow it. */
function adjustTimes(cues: Cue[]): Cue[] {
  const result: Cue[] = [];
  cues.forEach((cue, i) => {
    const free = result.at(-1)?.end ?? 0;
    const next = cues[i + 1]?.start ?? Infinity;
    let start = Math.max(cue.start, free);
    const latest = Math.max(next, start + 0.1);
    const end = Math.min(Math.max(cue.end, start + minSeconds), latest);
    // Without room after the cue it starts earlier.
    if (end - start < minSeconds) start = Math.max(free, Math.min(start, end - minSeconds));
    result.push({ ...cue, start, end });
  });
  return result;
}
