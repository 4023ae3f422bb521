import { tokensOf, type SpokenSegment, type Token } from './tokens.ts';

export { indexAt, type SpokenSegment } from './tokens.ts';

/** Speaker and time of each token, stored next to a passage's text. */
export type Layout = {
  /** Offset of each token in the text. */
  at: number[];
  /** Milliseconds at which each token is spoken. */
  ms: number[];
  /** `[token, speaker]`: the speaker from this token on. */
  turns: [number, string | null][];
};
/** A few sentences of a passage. One vector cannot represent the topics of a whole passage. */
export type Window = { token: number; text: string; start: number; end: number; speakers: string[] };
/** What search finds and shows: a speaker turn, or a part of a long one. */
export type Passage = {
  text: string;
  start: number;
  end: number;
  speakers: string[];
  layout: Layout;
  /** Excludes the overlap with the previous passage, whose windows cover it. */
  windows: Window[];
};

/** Sizes in words. A turn shorter than `short` has too little content for a vector of its own. */
export type ChunkSizes = { target: number; overlap: number; short: number };
export const chunkSizes: ChunkSizes = { target: 200, overlap: 40, short: 8 };

/**
 * Splits a transcript into passages, one per speaker turn, because a turn usually has one topic. A very short turn is joined
 * with the next one; a long turn is split, preferably at sentence ends, with some overlap.
 */
export function chunk(segments: readonly SpokenSegment[], sizes: ChunkSizes = chunkSizes): Passage[] {
  const passages: Piece[] = [];
  let open: Token[] = [];
  const close = () => {
    if (open.length > 0) passages.push(...splitTurn(open, sizes));
    open = [];
  };
  for (const turn of turnsOf(segments.flatMap(tokensOf))) {
    if (open.length >= sizes.short) close();
    open = open.concat(turn);
  }
  close();
  return passages.map(toPassage);
}

/** Tokens of a passage; those before `fresh` overlap with the previous passage. */
type Piece = { tokens: Token[]; fresh: number };

function turnsOf(tokens: readonly Token[]): Token[][] {
  const turns: Token[][] = [];
  for (const token of tokens) {
    const last = turns.at(-1);
    if (last && last[0]?.speaker === token.speaker) last.push(token);
    else turns.push([token]);
  }
  return turns;
}

/** Splits a turn that is too long for one passage. */
function splitTurn(tokens: Token[], { target, overlap }: ChunkSizes): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let done = 0;
  while (tokens.length - from > target * 1.2) {
    const to = endOfPiece(tokens, from, target);
    pieces.push({ tokens: tokens.slice(from, to), fresh: done - from });
    done = to;
    from = startOfNext(tokens, from, to, overlap);
  }
  pieces.push({ tokens: tokens.slice(from), fresh: done - from });
  return pieces;
}

/** The last sentence end in the second half of the piece, else the target size. */
function endOfPiece(tokens: Token[], from: number, target: number): number {
  for (let i = from + target; i > from + target / 2; i--) if (tokens[i - 1]?.endsSentence) return i;
  return from + target;
}

/** The sentence start nearest to `overlap` words back, at most half of it away. */
function startOfNext(tokens: Token[], from: number, to: number, overlap: number): number {
  const wanted = to - overlap;
  for (let distance = 0; distance <= overlap / 2; distance++) {
    for (const i of [wanted + distance, wanted - distance]) if (i > from && tokens[i - 1]?.endsSentence) return i;
  }
  return Math.max(from + 1, wanted);
}

function toPassage({ tokens, fresh }: Piece): Passage {
  const layout: Layout = { at: [], ms: [], turns: [] };
  let text = '';
  for (const [i, token] of tokens.entries()) {
    if (text !== '' && token.spaced) text += ' ';
    layout.at.push(text.length);
    layout.ms.push(Math.round(token.start * 1000));
    if (i === 0 || token.speaker !== tokens[i - 1]?.speaker) layout.turns.push([i, token.speaker]);
    text += token.text;
  }
  const windows = windowsOf(tokens, fresh).map(([from, to]) => ({
    token: from,
    text: text.slice(layout.at[from], layout.at[to]).trim(),
    ...spanOf(tokens.slice(from, to)),
  }));
  return { text, layout, windows, ...spanOf(tokens) };
}

function spanOf(tokens: readonly Token[]) {
  return {
    start: tokens[0]?.start ?? 0,
    end: tokens.at(-1)?.end ?? 0,
    speakers: [...new Set(tokens.map((token) => token.speaker))].filter((speaker) => speaker !== null),
  };
}

/** Sentences are joined up to this many words, so that a question stays with its answer. */
const minWords = 20;
/** Speech without sentence ends is split at this many words. */
const maxWords = 50;
/** A shorter rest is joined with the previous window. */
const minRestWords = 8;

/** `[from, to)` of each window over the tokens from `fresh` on. */
function windowsOf(tokens: readonly Token[], fresh: number): [number, number][] {
  const windows: [number, number][] = [];
  let from = fresh;
  for (let to = fresh + 1; to <= tokens.length; to++) {
    const words = to - from;
    if (words < maxWords && !(words >= minWords && tokens[to - 1]?.endsSentence)) continue;
    windows.push([from, to]);
    from = to;
  }
  const last = windows.at(-1);
  const rest = tokens.length - from;
  if (rest > 0 && rest < minRestWords && last) last[1] = tokens.length;
  else if (rest > 0) windows.push([from, tokens.length]);
  return windows;
}
