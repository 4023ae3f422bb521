import { tokensOf, type SpokenSegment, type Token } from './tokens.ts';

export { indexAt, type SpokenSegment } from './tokens.ts';

/** Who speaks and when each word is spoken, by token; kept beside a passage's text. */
export type Layout = {
  /** Offset of each token in the text. */
  at: number[];
  /** Milliseconds at which each token is spoken. */
  ms: number[];
  /** `[token, speaker]`: from this token on this speaker speaks. */
  turns: [number, string | null][];
};
/** A piece of a transcript: what search finds and shows. */
export type Passage = { text: string; start: number; end: number; speakers: string[]; layout: Layout };

/** In words. A turn shorter than `short` has too little in it to be found by its meaning. */
export type ChunkSizes = { target: number; overlap: number; short: number };
export const chunkSizes: ChunkSizes = { target: 200, overlap: 40, short: 8 };

/**
 * Divides a transcript into passages, one a turn: what somebody says at a stretch is about one thing. A very short turn
 * shares the passage of the next; a long one becomes several, which end with a sentence where they can and repeat the
 * last words of the one before.
 */
export const chunk = (segments: readonly SpokenSegment[], sizes: ChunkSizes = chunkSizes): Passage[] => {
  const passages: Token[][] = [];
  let open: Token[] = [];
  const close = () => {
    if (open.length > 0) passages.push(...divide(open, sizes));
    open = [];
  };
  for (const turn of turnsOf(segments.flatMap(tokensOf))) {
    if (open.length >= sizes.short) close();
    open = open.concat(turn);
  }
  close();
  return passages.map(toPassage);
};

const turnsOf = (tokens: readonly Token[]): Token[][] => {
  const turns: Token[][] = [];
  for (const token of tokens) {
    const last = turns.at(-1);
    if (last && last[0]?.speaker === token.speaker) last.push(token);
    else turns.push([token]);
  }
  return turns;
};

/** Windows over a run of tokens that is too long for one passage. */
const divide = (tokens: Token[], { target, overlap }: ChunkSizes): Token[][] => {
  const windows: Token[][] = [];
  let from = 0;
  while (tokens.length - from > target * 1.2) {
    const to = endOfWindow(tokens, from, target);
    windows.push(tokens.slice(from, to));
    from = startOfNext(tokens, from, to, overlap);
  }
  windows.push(tokens.slice(from));
  return windows;
};

/** The last sentence end in the second half of the window, else the target itself. */
const endOfWindow = (tokens: Token[], from: number, target: number): number => {
  for (let i = from + target; i > from + target / 2; i--) if (tokens[i - 1]?.endsSentence) return i;
  return from + target;
};

/** The sentence start nearest to `overlap` words back, within half of it either way. */
const startOfNext = (tokens: Token[], from: number, to: number, overlap: number): number => {
  const wanted = to - overlap;
  for (let d = 0; d <= overlap / 2; d++) {
    for (const i of [wanted + d, wanted - d]) if (i > from && tokens[i - 1]?.endsSentence) return i;
  }
  return Math.max(from + 1, wanted);
};

const toPassage = (tokens: Token[]): Passage => {
  const layout: Layout = { at: [], ms: [], turns: [] };
  let text = '';
  for (const [i, token] of tokens.entries()) {
    if (text !== '' && token.spaced) text += ' ';
    layout.at.push(text.length);
    layout.ms.push(Math.round(token.start * 1000));
    if (i === 0 || token.speaker !== tokens[i - 1]?.speaker) layout.turns.push([i, token.speaker]);
    text += token.text;
  }
  const speakers = [...new Set(layout.turns.map(([, s]) => s))].filter((s) => s !== null);
  return { text, start: tokens[0]?.start ?? 0, end: tokens.at(-1)?.end ?? 0, speakers, layout };
};
