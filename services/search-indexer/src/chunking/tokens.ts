import { splitWords } from '../words/words.ts';

export type SpokenWord = { word: string; start: number; end: number };
export type SpokenSegment = {
  start: number;
  end: number;
  text: string;
  speaker: string | null;
  words: readonly SpokenWord[];
};
/** The smallest thing that has a time: what stands between two blanks, or a word where there are no blanks. */
export type Token = {
  text: string;
  start: number;
  end: number;
  speaker: string | null;
  endsSentence: boolean;
  /** A blank stands before it. */
  spaced: boolean;
};

const sentenceEnd = /[.!?…。！？]["'”’)\]]*$/u;

/**
 * A segment's text with the time of each token. Text and timed words may differ, for people edit: a token's place in
 * the text is then carried over to the same place among the timed words.
 */
export const tokensOf = (segment: SpokenSegment): Token[] => {
  const pieces = piecesOf(segment.text);
  const length = pieces.reduce((sum, p) => sum + p.text.length, 0);
  const timeAt = clockOf(segment, length);
  let passed = 0;
  return pieces.map((piece, i) => {
    const start = timeAt(passed);
    passed += piece.text.length;
    return {
      ...piece,
      start: start.start,
      end: timeAt(passed - 1).end,
      speaker: segment.speaker,
      endsSentence: i === pieces.length - 1 || sentenceEnd.test(piece.text),
    };
  });
};

type Piece = { text: string; spaced: boolean };

const piecesOf = (text: string): Piece[] =>
  text
    .split(/\s+/u)
    .filter((p) => p !== '')
    .flatMap((p) => {
      const words = splitWords(p);
      // One word with its punctuation stays whole, as do things like 3.5 and well-known.
      if (words.length < 2 || /[\p{sc=Latin}\p{N}]/u.test(p)) return [{ text: p, spaced: true }];
      return words.map((w, i) => ({
        text: p.slice(i === 0 ? 0 : w.at, words[i + 1]?.at ?? p.length),
        spaced: i === 0,
      }));
    });

/** The time of the n-th of `length` characters, blanks not counted. */
const clockOf = (segment: SpokenSegment, length: number) => {
  const starts: number[] = [];
  let spoken = 0;
  for (const w of segment.words) {
    starts.push(spoken);
    spoken += Math.max(1, w.word.trim().length);
  }
  return (position: number): { start: number; end: number } => {
    const share = length === 0 ? 0 : position / length;
    if (spoken === 0) {
      const start = segment.start + share * (segment.end - segment.start);
      return { start, end: segment.start + ((position + 1) / Math.max(1, length)) * (segment.end - segment.start) };
    }
    // Equal lengths: exact. Otherwise proportional.
    const place = spoken === length ? position : Math.floor(share * spoken);
    const word = segment.words[indexAt(starts, place)];
    return { start: word?.start ?? segment.start, end: word?.end ?? segment.end };
  };
};

/** Index of the last entry that is not above `value`. */
export const indexAt = (sorted: readonly number[], value: number): number => {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
};
