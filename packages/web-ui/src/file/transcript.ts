import type { SegmentObject } from '@overtone/contracts';
import { lastAtOrBefore } from '../lib/find-index.ts';

/** A clickable word of a segment: when it is spoken, the confidence of the engine, and whether another person spoke, too. */
export type Token = {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly confidence: number | null;
  readonly overlap: boolean;
};

/** How much a word is to be doubted: three steps of confidence, of which the first one has no mark. */
export type Doubt = 'some' | 'strong';
const doubtedBelow = 0.6;
const stronglyDoubtedBelow = 0.35;

/** Null for a word of which the engine is sure, and for one that a person has typed or checked: it has no confidence. */
export function doubtOf(confidence: number | null): Doubt | null {
  if (confidence === null || confidence >= doubtedBelow) return null;
  return confidence < stronglyDoubtedBelow ? 'strong' : 'some';
}

type WordCounts = { readonly words: number; readonly some: number; readonly strong: number };
const countCache = new WeakMap<SegmentObject, WordCounts>();

/** How many words of a transcript are doubted. */
export function countDoubts(loaded: readonly IndexedSegment[]): WordCounts {
  let [words, some, strong] = [0, 0, 0];
  for (const { segment } of loaded) {
    const counts = countCache.get(segment) ?? countDoubtsOf(segment);
    words += counts.words;
    some += counts.some;
    strong += counts.strong;
  }
  return { words, some, strong };
}

function countDoubtsOf(segment: SegmentObject): WordCounts {
  const doubts = segment.words.map(({ confidence }) => doubtOf(confidence));
  const count = (wanted: Doubt): number => doubts.filter((doubt) => doubt === wanted).length;
  const counts = { words: doubts.length, some: count('some'), strong: count('strong') };
  countCache.set(segment, counts);
  return counts;
}

const tokenCache = new WeakMap<SegmentObject, readonly Token[]>();

/**
 * The words of the text of a segment, with times. In an edited text unchanged words keep their times, and the times of
 * new words are spread evenly between them.
 */
export function tokensOf(segment: SegmentObject): readonly Token[] {
  const cached = tokenCache.get(segment);
  if (cached) return cached;
  const tokens = withTimes(
    segment,
    segment.text.split(/\s+/).filter((word) => word !== ''),
  );
  tokenCache.set(segment, tokens);
  return tokens;
}

function withTimes(segment: SegmentObject, texts: readonly string[]): Token[] {
  const { words } = segment;
  if (texts.length === words.length) {
    return texts.map((text, i) => {
      const { start, end, confidence, overlap = false } = words[i] as SegmentObject['words'][number];
      return { text, start, end, confidence, overlap };
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
      const { start, end, confidence, overlap = false } = anchor;
      tokens.push({ text: texts[i] as string, start, end, confidence, overlap });
      i += 1;
      continue;
    }
    let next = i;
    while (next < texts.length && !anchors[next]) next += 1;
    const from = tokens.at(-1)?.end ?? segment.start_time;
    const to = anchors[next]?.start ?? segment.end_time;
    for (let index = i; index < next; index += 1) {
      const [start, end] = span(from, to, next - i, index - i);
      tokens.push({ text: texts[index] as string, start, end, confidence: null, overlap: false });
    }
    i = next;
  }
  return tokens;
}

/** The engine's word for each text, in order; undefined where the text has none. */
function matchWords(
  texts: readonly string[],
  words: SegmentObject['words'],
): (SegmentObject['words'][number] | undefined)[] {
  let from = 0;
  return texts.map((text) => {
    const wanted = normalize(text);
    // Looks only a few words ahead, so that one changed word does not skip all others.
    for (let index = from; index < Math.min(words.length, from + 8); index += 1) {
      const word = words[index];
      if (word && normalize(word.word) === wanted) {
        from = index + 1;
        return word;
      }
    }
    return undefined;
  });
}

/** Normalizes a word for comparison: lower case, without accents and punctuation. */
export function normalize(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}]/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}']/gu, '');
}

export type IndexedSegment = { readonly index: number; readonly segment: SegmentObject };
export type Position = { readonly index: number; readonly word: number };

/** The segment and word spoken at a time; a pause keeps the word before it. Null before the first segment. */
export function positionAt(loaded: readonly IndexedSegment[], seconds: number): Position | null {
  const found = loaded[lastAtOrBefore(loaded, seconds, ({ segment }) => segment.start_time)];
  if (!found) return null;
  return { index: found.index, word: lastAtOrBefore(tokensOf(found.segment), seconds, ({ start }) => start) };
}

export type Match = { readonly index: number; readonly first: number; readonly last: number };
const normalizedCache = new WeakMap<SegmentObject, readonly string[]>();

function normalizedWords(segment: SegmentObject): readonly string[] {
  const cached = normalizedCache.get(segment);
  if (cached) return cached;
  const words = tokensOf(segment).map(({ text }) => normalize(text));
  normalizedCache.set(segment, words);
  return words;
}

/** All occurrences of the words of the query as a phrase; the last word may be a prefix. */
export function findMatches(loaded: readonly IndexedSegment[], query: string): Match[] {
  const wanted = query
    .split(/\s+/)
    .map(normalize)
    .filter((word) => word !== '');
  if (wanted.length === 0) return [];
  const matches: Match[] = [];
  for (const { index, segment } of loaded) {
    const words = normalizedWords(segment);
    for (let first = 0; first + wanted.length <= words.length; first += 1) {
      if (matchesAt(words, wanted, first)) matches.push({ index, first, last: first + wanted.length - 1 });
    }
  }
  return matches;
}

function matchesAt(words: readonly string[], wanted: readonly string[], first: number): boolean {
  return wanted.every((part, i) => {
    const word = words[first + i] ?? '';
    return i === wanted.length - 1 ? word.startsWith(part) : word === part;
  });
}

/** True for the first segment of a turn: its row shows the name of the speaker. */
export function isTurnStart(segments: readonly (SegmentObject | undefined)[], index: number): boolean {
  const here = segments[index];
  const before = segments[index - 1];
  if (!here || index === 0) return true;
  return before === undefined || before.speaker?.uuid !== here.speaker?.uuid;
}
