import type { Word } from '@overtone/contracts';

type Span = { start: number; end: number };

/**
 * Assigns times to the words of an edited text. An unchanged word keeps its time, and its confidence unless its spelling
 * was changed. New words share the time between the adjacent words in proportion to their length, without a confidence.
 */
export function realign(before: Word[], text: string, segment: Span): Word[] {
  const tokens = tokensOf(text);
  const kept = longestCommon(
    before.map(({ word }) => comparable(word)),
    tokens.map(comparable),
  );
  const words: Word[] = [];
  let oldAt = 0;
  let newAt = 0;
  for (const [oldIndex, newIndex] of [...kept, [before.length, tokens.length] as const]) {
    const from = words.at(-1)?.end ?? segment.start;
    const until = before[oldIndex]?.start ?? segment.end;
    words.push(...fill(tokens.slice(newAt, newIndex), before.slice(oldAt, oldIndex), { start: from, end: until }));
    const same = before[oldIndex];
    const token = tokens[newIndex];
    if (same && token !== undefined)
      words.push({ ...same, word: token, confidence: token === same.word ? same.confidence : null });
    oldAt = oldIndex + 1;
    newAt = newIndex + 1;
  }
  return words;
}

function tokensOf(text: string): string[] {
  return text.split(/\s+/u).filter(Boolean);
}

function comparable(token: string): string {
  return token
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** Times for words that replace others: taken over one by one for equal counts, else shared by length. */
function fill(tokens: string[], replaced: Word[], gap: Span): Word[] {
  if (tokens.length === 0) return [];
  if (tokens.length === replaced.length) {
    return tokens.map((word, i) => {
      const { start, end } = replaced[i] as Word;
      return { word, start, end, confidence: null };
    });
  }
  const start = replaced[0]?.start ?? gap.start;
  const end = Math.max(start, replaced.at(-1)?.end ?? gap.end);
  const letters = tokens.reduce((sum, token) => sum + token.length, 0);
  let at = start;
  return tokens.map((word) => {
    const next = at + ((end - start) * word.length) / letters;
    const placed = { word, start: milliseconds(at), end: milliseconds(next), confidence: null };
    at = next;
    return placed;
  });
}

/** Index pairs of a longest common subsequence. */
function longestCommon(left: string[], right: string[]): [number, number][] {
  const width = right.length + 1;
  const length = new Uint32Array((left.length + 1) * width);
  const at = (i: number, value: number): number => length[i * width + value] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let place = right.length - 1; place >= 0; place -= 1) {
      length[i * width + place] =
        left[i] === right[place] ? at(i + 1, place + 1) + 1 : Math.max(at(i + 1, place), at(i, place + 1));
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, place = 0; i < left.length && place < right.length;) {
    if (left[i] === right[place]) pairs.push([i++, place++]);
    else if (at(i + 1, place) >= at(i, place + 1)) i += 1;
    else place += 1;
  }
  return pairs;
}
