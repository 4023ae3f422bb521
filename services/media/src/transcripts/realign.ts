import { diffArrays } from 'diff';
import type { Word } from '@overtone/contracts';

type Span = { start: number; end: number };

/** Two texts that differ in more words count as different from beginning to end: the comparison takes the square of it. */
const maxChangedWords = 1_000;

/**
 * Assigns times to the words of an edited text. An unchanged word keeps its time, and its confidence unless its spelling
 * was changed. New words share the time between the adjacent words in proportion to their length, without a confidence.
 */
export function realign(before: readonly Word[], text: string, segment: Span): Word[] {
  const tokens = tokensOf(text);
  const kept = commonWords(
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

export function tokensOf(text: string): string[] {
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

/** Times for words that replace others: taken over one by one for equal counts, else shared by length and estimated. */
function fill(tokens: string[], replaced: readonly Word[], gap: Span): Word[] {
  if (tokens.length === 0) return [];
  if (tokens.length === replaced.length) {
    return tokens.map((word, i) => {
      const { start, end } = replaced[i] as Word;
      return { word, start, end, confidence: null };
    });
  }
  // Passages that overlap in time have been joined where the gap ends before it starts.
  const within = (at: number): number =>
    Math.min(Math.max(at, Math.min(gap.start, gap.end)), Math.max(gap.start, gap.end));
  const start = within(replaced[0]?.start ?? gap.start);
  const end = Math.max(start, within(replaced.at(-1)?.end ?? gap.end));
  const letters = tokens.reduce((sum, token) => sum + token.length, 0);
  let at = start;
  return tokens.map((word) => {
    const next = at + ((end - start) * word.length) / letters;
    const placed = { word, start: milliseconds(at), end: milliseconds(next), confidence: null, interpolated: true };
    at = next;
    return placed;
  });
}

/** Index pairs of the words that both texts have. */
function commonWords(left: string[], right: string[]): [number, number][] {
  const pairs: [number, number][] = [];
  let oldAt = 0;
  let newAt = 0;
  for (const { added, removed, count } of diffArrays(left, right, { maxEditLength: maxChangedWords }) ?? []) {
    if (!added && !removed) for (let i = 0; i < count; i += 1) pairs.push([oldAt + i, newAt + i]);
    if (!added) oldAt += count;
    if (!removed) newAt += count;
  }
  return pairs;
}
