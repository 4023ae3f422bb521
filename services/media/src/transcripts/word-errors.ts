import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { countedWords } from '@overtone/contracts/unspaced';
import { changedRuns } from './differences.ts';

export type TextPassage = { id: string; text: string };
export type WordErrors = { words: number; errors: number };

/** Words on one side of a comparison; passages that both states have divide longer runs of changed ones. */
const wordsAtOnce = 1_000;
/** The comparison takes the product of both sides. What is longer, such as a very long passage, counts as wrong altogether. */
const maxProduct = 16_000_000;
/** What is done without a pause for other requests: some milliseconds each. */
const passagesAtOnce = 200;
const runsAtOnce = 50;
const cellsAtOnce = 500_000;

/**
 * The word errors of an automatic transcript, measured by its corrected version: the fewest substitutions, insertions and
 * deletions of words that turn the one into the other. Divided by the words of the corrected text they are the word error
 * rate. Case and punctuation do not count. In scripts that are written without spaces (Chinese, Japanese, Thai, Lao, Khmer,
 * Burmese) each character counts as a word. Who speaks, and where passages begin, does not count.
 *
 * Uncorrected words count as right, so the rate is too low as long as errors are left.
 * @returns null when both texts are equal: nothing was corrected.
 */
export async function countWordErrors(
  automatic: readonly TextPassage[],
  corrected: readonly TextPassage[],
): Promise<WordErrors | null> {
  const runs = changedRuns(automatic, corrected, (one, other) => one.text === other.text);
  if (textOf(runs.flatMap(([left]) => left)) === textOf(runs.flatMap(([, right]) => right))) return null;
  const result: WordErrors = { words: 0, errors: 0 };
  for (const [i, { text }] of corrected.entries()) {
    if (i % passagesAtOnce === passagesAtOnce - 1) await yieldToOthers();
    result.words += comparableWords(text).length;
  }
  for (const [i, [left, right]] of runs.flatMap(divide).entries()) {
    if (i % runsAtOnce === runsAtOnce - 1) await yieldToOthers();
    result.errors += await distance(wordsOf(left), wordsOf(right));
  }
  return result;
}

function textOf(passages: readonly TextPassage[]): string {
  return passages
    .map(({ text }) => text.trim())
    .filter(Boolean)
    .join(' ');
}

function wordsOf(passages: readonly TextPassage[]): string[] {
  return passages.flatMap(({ text }) => comparableWords(text));
}

/** The words of a text without case and punctuation. */
export function comparableWords(text: string): string[] {
  return text.normalize('NFKC').toLowerCase().split(/\s+/u).flatMap(wordsOfToken);
}

/** Punctuation inside of a word does not divide it: `don't`, `U.S.`, `well-known`. */
function wordsOfToken(token: string): string[] {
  return countedWords(token.replaceAll(/[^\p{L}\p{N}\p{M}]/gu, ''));
}

type Run = [TextPassage[], TextPassage[]];

/** Divides a long run before passages that both sides have, so that no comparison is larger than it must be. */
function divide([left, right]: Run): Run[] {
  const places = new Map(right.map(({ id }, i) => [id, i]));
  const runs: Run[] = [];
  let [from, to] = [0, 0];
  let words = 0;
  for (const [i, { id, text }] of left.entries()) {
    const place = places.get(id);
    if (words >= wordsAtOnce && place !== undefined && place >= to) {
      runs.push([left.slice(from, i), right.slice(to, place)]);
      [from, to, words] = [i, place, 0];
    }
    words += comparableWords(text).length;
  }
  runs.push([left.slice(from), right.slice(to)]);
  return runs;
}

/** The Levenshtein distance of two lists of words. */
async function distance(left: readonly string[], right: readonly string[]): Promise<number> {
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let [leftEnd, rightEnd] = [left.length, right.length];
  for (; leftEnd > start && rightEnd > start && left[leftEnd - 1] === right[rightEnd - 1]; rightEnd -= 1) leftEnd -= 1;
  const [rows, columns] = [leftEnd - start, rightEnd - start];
  if (rows * columns > maxProduct) return Math.max(rows, columns);
  const numbers = new Map<string, number>();
  const numberOf = (word: string): number => numbers.get(word) ?? numbers.set(word, numbers.size).size - 1;
  const across = Uint32Array.from(right.slice(start, rightEnd), numberOf);
  let above = Uint32Array.from({ length: columns + 1 }, (_, i) => i);
  let row = new Uint32Array(columns + 1);
  let cells = 0;
  for (let i = 1; i <= rows; i += 1) {
    cells += columns;
    if (cells > cellsAtOnce) {
      cells = 0;
      await yieldToOthers();
    }
    row[0] = i;
    const word = numberOf(left[start + i - 1] ?? '');
    for (let column = 1; column <= columns; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (word === across[column - 1] ? 0 : 1);
      row[column] = Math.min(replaced, (above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1);
    }
    [above, row] = [row, above];
  }
  return above[columns] ?? 0;
}
