import { isStopWord, splitWords } from '../tokenize/tokenize.ts';

/** Longer ones are not typed. */
const maxLength = 30;
/** Scripts in which a word has few characters. */
const dense = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

/** The form in which words are stored and compared. */
export function wordKey(word: string): string {
  return word.normalize('NFKC').toLowerCase().replaceAll('’', "'");
}

/** The words of texts that are worth suggesting: each once, without numbers, stop words and very short ones. */
export function vocabularyOf(texts: readonly string[]): string[] {
  const words = new Set<string>();
  for (const text of texts)
    for (const { text: word } of splitWords(text)) {
      const key = wordKey(word);
      const shortest = dense.test(key) ? 2 : 3;
      if (key.length >= shortest && key.length <= maxLength && !/\d/.test(key) && !isStopWord(key)) words.add(key);
    }
  return [...words];
}

/** How many typing errors are assumed in a word of this length. Most short words are one letter from another word. */
export function allowedErrors(word: string): 0 | 1 | 2 {
  if (word.length < 5 || /\d/.test(word)) return 0;
  return word.length < 9 ? 1 : 2;
}

/** Rows of the distance matrix, used again for every pair of words. */
const rows = Array.from({ length: 3 }, () => new Uint8Array(maxLength + 3));

/**
 * The number of inserted, removed, replaced and transposed letters between two words (optimal string alignment), or
 * `max + 1` when there are more than `max`.
 */
export function editDistance(left: string, right: string, max: number): number {
  if (Math.abs(left.length - right.length) > max || right.length > maxLength) return max + 1;
  let [before, previous, current] = rows as [Uint8Array, Uint8Array, Uint8Array];
  for (let column = 0; column <= right.length + 1; column++) previous[column] = column;
  for (let row = 1; row <= left.length; row++) {
    // Outside of this band the distance is above `max`.
    const [from, to] = [Math.max(1, row - max), Math.min(right.length, row + max)];
    current[from - 1] = from === 1 ? row : max + 1;
    current[to + 1] = max + 1;
    let least = current[from - 1] ?? 0;
    for (let column = from; column <= to; column++) {
      const same = left[row - 1] === right[column - 1];
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const distance = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
        isSwap ? (before[column - 2] ?? 0) + 1 : Infinity,
      );
      current[column] = distance;
      if (distance < least) least = distance;
    }
    if (least > max) return max + 1;
    [before, previous, current] = [previous, current, before];
  }
  return Math.min(max + 1, previous[right.length] ?? 0);
}

/** Words in the order of their characters, with the first characters that occur. */
export type WordList = { sorted: readonly string[]; initials: readonly string[] };

export function wordListOf(words: readonly string[]): WordList {
  return { sorted: words.toSorted(), initials: [...new Set(words.map((word) => word[0] ?? ''))] };
}

type NearWord = { word: string; distance: number };

/** More words with one first letter would take longer than a search. */
const maxCompared = 50_000;

/**
 * The nearest words of a list. People rarely mistype the first letter, so that two errors must keep it; words with another
 * one are looked up and not compared.
 */
export function nearWords(word: string, { sorted, initials }: WordList): NearWord[] {
  const key = wordKey(word);
  const max = allowedErrors(key);
  const [first = ''] = key;
  if (max === 0 || key.length > maxLength) return [];
  const from = firstFrom(sorted, first);
  const near: NearWord[] = [];
  for (let at = from; at < sorted.length && at < from + maxCompared; at++) {
    const candidate = sorted[at] ?? '';
    if (!candidate.startsWith(first)) break;
    const distance = editDistance(key, candidate, max);
    if (distance > 0 && distance <= max) near.push({ word: candidate, distance });
  }
  const swapped = (key[1] ?? '') + first + key.slice(2);
  const otherwise = [key.slice(1), swapped, ...initials.flatMap((letter) => [letter + key.slice(1), letter + key])];
  for (const candidate of new Set(otherwise))
    if (!candidate.startsWith(first) && sorted[firstFrom(sorted, candidate)] === candidate)
      near.push({ word: candidate, distance: 1 });
  return near.sort((x, y) => x.distance - y.distance);
}

export function hasWord(word: string, { sorted }: WordList): boolean {
  return sorted[firstFrom(sorted, word)] === word;
}

/** The index of the first word that is not before `wanted`. */
function firstFrom(sorted: readonly string[], wanted: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
