import { splitWords } from '../tokenize/tokenize.ts';

export type SpokenWord = { word: string; start: number; end: number };
export type SpokenSegment = {
  start: number;
  end: number;
  text: string;
  speaker: string | null;
  words: readonly SpokenWord[];
};
/** The smallest timed unit: text between two spaces, or a word in scripts without spaces. */
export type Token = {
  text: string;
  start: number;
  end: number;
  speaker: string | null;
  endsSentence: boolean;
  /** A space precedes it. */
  spaced: boolean;
};

const sentenceEnd = /[.!?…。！？]["'”’)\]]*$/u;

/**
 * A segment's tokens with their times. After an edit, text and timed words may differ: a token then gets the time at the
 * same relative position among the timed words.
 */
export function tokensOf(segment: SpokenSegment): Token[] {
  const pieces = piecesOf(segment.text);
  const length = pieces.reduce((sum, piece) => sum + piece.text.length, 0);
  const timeAt = createClock(segment, length);
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
}

type Piece = { text: string; spaced: boolean };

function piecesOf(text: string): Piece[] {
  return text
    .split(/\s+/u)
    .filter((piece) => piece !== '')
    .flatMap((piece) => {
      const words = splitWords(piece);
      // A word with its punctuation stays one token, as do 3.5 and well-known.
      if (words.length < 2 || /[\p{sc=Latin}\p{N}]/u.test(piece)) return [{ text: piece, spaced: true }];
      return words.map((word, i) => ({
        text: piece.slice(i === 0 ? 0 : word.at, words[i + 1]?.at ?? piece.length),
        spaced: i === 0,
      }));
    });
}

/** Maps a character position among `length` characters without spaces to a time. */
function createClock(segment: SpokenSegment, length: number) {
  const starts: number[] = [];
  let spoken = 0;
  for (const word of segment.words) {
    starts.push(spoken);
    spoken += Math.max(1, word.word.trim().length);
  }
  return (position: number): { start: number; end: number } => {
    const share = length === 0 ? 0 : position / length;
    if (spoken === 0) {
      const start = segment.start + share * (segment.end - segment.start);
      return { start, end: segment.start + ((position + 1) / Math.max(1, length)) * (segment.end - segment.start) };
    }
    // Exact for equal lengths, else proportional.
    const place = spoken === length ? position : Math.floor(share * spoken);
    const word = segment.words[indexAt(starts, place)];
    return { start: word?.start ?? segment.start, end: word?.end ?? segment.end };
  };
}

/** Index of the last entry that is at most `value`. */
export function indexAt(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
