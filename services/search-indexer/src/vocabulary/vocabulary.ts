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

/**
 * The number of inserted, removed, replaced and transposed letters between two words (optimal string alignment), or
 * `max + 1` when there are more than `max`.
 */
export function editDistance(left: string, right: string, max: number): number {
  if (Math.abs(left.length - right.length) > max) return max + 1;
  let before: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, i) => i);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
        isSwap ? (before[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    if (Math.min(...current) > max) return max + 1;
    before = previous;
    previous = current;
  }
  return Math.min(max + 1, previous[right.length] ?? 0);
}

type NearWord = { word: string; distance: number };

const maxNear = 50;

/** The nearest words of a vocabulary; people rarely mistype the first letter, so that two errors must keep it. */
export function nearWords(word: string, vocabulary: readonly string[]): NearWord[] {
  const key = wordKey(word);
  const max = allowedErrors(key);
  if (max === 0) return [];
  const near = vocabulary.flatMap((candidate) => {
    const allowed = candidate[0] === key[0] ? max : 1;
    const distance = editDistance(key, candidate, allowed);
    return distance > 0 && distance <= allowed ? [{ word: candidate, distance }] : [];
  });
  return near.sort((x, y) => x.distance - y.distance).slice(0, maxNear);
}
