import type { Token } from './tokens.ts';

/** Sentences are taken together until there are this many words; question and answer belong together. */
const enough = 20;
/** Speech without sentence ends is cut here. */
const most = 50;
/** Less than this at the end joins the window before. */
const least = 8;

/** `[from, to)` of each window over the tokens from `fresh` on. */
export const windowsOf = (tokens: readonly Token[], fresh: number): [number, number][] => {
  const windows: [number, number][] = [];
  let from = fresh;
  for (let to = fresh + 1; to <= tokens.length; to++) {
    const words = to - from;
    if (words < most && !(words >= enough && tokens[to - 1]?.endsSentence)) continue;
    windows.push([from, to]);
    from = to;
  }
  const last = windows.at(-1);
  const rest = tokens.length - from;
  if (rest > 0 && rest < least && last) last[1] = tokens.length;
  else if (rest > 0) windows.push([from, tokens.length]);
  return windows;
};
