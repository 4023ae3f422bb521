import type { SegmentObject } from '@overtone/contracts';
import { lastAtOrBefore } from '../lib/find-index.ts';

/** A piece of a segment's text that can be clicked: where it is spoken, and how sure the engine was. */
export type Token = {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly confidence: number | null;
};

const tokenCache = new WeakMap<SegmentObject, readonly Token[]>();

/**
 * The words of a segment as they stand in its text. The text leads: where somebody edited it, the times of the words
 * that are still there hold, and those between them are spread evenly.
 */
export const tokensOf = (segment: SegmentObject): readonly Token[] => {
  const known = tokenCache.get(segment);
  if (known) return known;
  const tokens = timed(
    segment,
    segment.text.split(/\s+/).filter((t) => t !== ''),
  );
  tokenCache.set(segment, tokens);
  return tokens;
};

const timed = (segment: SegmentObject, texts: readonly string[]): Token[] => {
  const { words } = segment;
  if (texts.length === words.length) {
    return texts.map((text, i) => {
      const { start, end, confidence } = words[i] as SegmentObject['words'][number];
      return { text, start, end, confidence };
    });
  }
  const anchors = matchWords(texts, words);
  const span = (from: number, to: number, count: number, i: number): [number, number] => {
    const step = Math.max(0, to - from) / Math.max(1, count);
    return [from + step * i, from + step * (i + 1)];
  };
  const tokens: Token[] = [];
  for (let i = 0; i < texts.length;) {
    const anchor = anchors[i];
    if (anchor) {
      tokens.push({ text: texts[i] as string, start: anchor.start, end: anchor.end, confidence: anchor.confidence });
      i += 1;
      continue;
    }
    let next = i;
    while (next < texts.length && !anchors[next]) next += 1;
    const from = tokens.at(-1)?.end ?? segment.start_time;
    const to = anchors[next]?.start ?? segment.end_time;
    for (let k = i; k < next; k += 1) {
      const [start, end] = span(from, to, next - i, k - i);
      tokens.push({ text: texts[k] as string, start, end, confidence: null });
    }
    i = next;
  }
  return tokens;
};

/** The engine's word for each text, in order; undefined where the text has none. */
const matchWords = (
  texts: readonly string[],
  words: SegmentObject['words'],
): (SegmentObject['words'][number] | undefined)[] => {
  let from = 0;
  return texts.map((text) => {
    const wanted = plain(text);
    // Looks a few words ahead only, so that one changed word does not swallow the rest.
    for (let at = from; at < Math.min(words.length, from + 8); at += 1) {
      const word = words[at];
      if (word && plain(word.word) === wanted) {
        from = at + 1;
        return word;
      }
    }
    return undefined;
  });
};

/** A word as it is compared: lower case, without accents and punctuation. */
export const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}]/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}']/gu, '');

export type Indexed = { readonly index: number; readonly segment: SegmentObject };
export type Spot = { readonly index: number; readonly word: number };

/** The segment and word spoken at a time; a pause keeps the word before it. Null before the first segment. */
export const spotAt = (loaded: readonly Indexed[], seconds: number): Spot | null => {
  const at = lastAtOrBefore(loaded, seconds, (l) => l.segment.start_time);
  const found = loaded[at];
  if (!found) return null;
  return { index: found.index, word: lastAtOrBefore(tokensOf(found.segment), seconds, (t) => t.start) };
};

export type Match = { readonly index: number; readonly first: number; readonly last: number };
const plainCache = new WeakMap<SegmentObject, readonly string[]>();
const plainTokens = (segment: SegmentObject): readonly string[] => {
  const known = plainCache.get(segment);
  if (known) return known;
  const made = tokensOf(segment).map((t) => plain(t.text));
  plainCache.set(segment, made);
  return made;
};

/** Every place where the words of the query follow each other; the last word may be only begun. */
export const findMatches = (loaded: readonly Indexed[], query: string): Match[] => {
  const wanted = query
    .split(/\s+/)
    .map(plain)
    .filter((w) => w !== '');
  if (wanted.length === 0) return [];
  const matches: Match[] = [];
  for (const { index, segment } of loaded) {
    const words = plainTokens(segment);
    for (let first = 0; first + wanted.length <= words.length; first += 1) {
      if (matchesAt(words, wanted, first)) matches.push({ index, first, last: first + wanted.length - 1 });
    }
  }
  return matches;
};
const matchesAt = (words: readonly string[], wanted: readonly string[], first: number): boolean =>
  wanted.every((w, i) => {
    const word = words[first + i] ?? '';
    return i === wanted.length - 1 ? word.startsWith(w) : word === w;
  });

/** True where a speaker begins to speak: the row then carries the name. */
export const beginsTurn = (segments: readonly (SegmentObject | undefined)[], index: number): boolean => {
  const here = segments[index];
  const before = segments[index - 1];
  if (!here || index === 0) return true;
  return before === undefined || before.speaker?.uuid !== here.speaker?.uuid;
};
