import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as german } from '@orama/stemmers/german';
import { stopwords as englishStopwords } from '@orama/stopwords/english';
import { stopwords as germanStopwords } from '@orama/stopwords/german';
import { unspacedScript } from '@overtone/contracts/unspaced';

const stopWords = new Set([...englishStopwords, ...germanStopwords].map((word) => fold(word)));
const wordPattern = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{N}\p{M}]+)*/gu;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/**
 * The words of a text that carry meaning, each once: without stop words and accents, stemmed. The language is often unknown
 * here; the two stemmers run one after the other, which makes the same of the same word in every text.
 */
export function contentWordsOf(text: string): Set<string> {
  return new Set(wordsOf(text).flatMap((word) => meaningOf(word) ?? []));
}

/** The words of a text that carry meaning, with their offsets. Scripts without spaces have none. */
export function placesOfWords(text: string): { word: string; start: number; end: number }[] {
  return [...text.matchAll(wordPattern)].flatMap(({ 0: found, index }) => {
    const word = meaningOf(found);
    return word === undefined ? [] : [{ word, start: index, end: index + found.length }];
  });
}

function meaningOf(word: string): string | undefined {
  const folded = fold(word.replace(/['’]s$/u, ''));
  return stopWords.has(folded) ? undefined : german(english(folded));
}

/** How many words two sets share. */
export function sharedWords(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of left) if (right.has(word)) shared += 1;
  return shared;
}

function wordsOf(text: string): string[] {
  const found = [...text.matchAll(wordPattern)].map(([word]) => word);
  return found.flatMap((word) =>
    unspacedScript.test(word)
      ? [...segmenter.segment(word)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment)
      : [word],
  );
}

function fold(word: string): string {
  return word.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '').replaceAll(/['’]/g, '');
}
