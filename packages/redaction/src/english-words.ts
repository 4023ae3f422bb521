import { readFileSync } from 'node:fs';
import wordListPath from 'word-list';

let words: ReadonlySet<string> | undefined;

/** Whether a word in lower case is in the dictionary, which has few names. */
export function isEnglishWord(word: string): boolean {
  words ??= new Set(readFileSync(wordListPath, 'utf8').split('\n'));
  return words.has(word);
}
