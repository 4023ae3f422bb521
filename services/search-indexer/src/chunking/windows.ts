import type { Token } from './tokens.ts';

/** Sentences are joined up to this many words, so that a question stays with its answer. */
const minWords = 20;
/** Speech without sentence ends is split at this many words. */
const maxWords = 50;
/** A shorter rest is joined with the previous window. */
const minRestWords = 8;

/** `[from, to)` of each window over the tokens from `fresh` on. */
export function windowsOf(tokens: readonly Token[], fresh: number): [number, number][] {
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
