import { distance } from 'fastest-levenshtein';
import { fold, vocabularyOf } from './words.ts';

/** Names that are at least this similar are one tag. */
export const sameTagFrom = 0.85;
/** In shorter names one letter makes another word: "cat" and "car". */
const minLength = 5;

/** The existing name that means the same tag, the most similar one, or null. */
export function findSameTag(name: string, existing: readonly string[], language: string | null): string | null {
  const [best] = existing
    .map((other) => ({ other, similarity: tagSimilarity(name, other, language) }))
    .filter(({ similarity }) => similarity >= sameTagFrom)
    .toSorted((x, y) => y.similarity - x.similarity);
  return best?.other ?? null;
}

/** 1: the same but for case, accents, punctuation and plural; 0: they differ in a number. */
export function tagSimilarity(one: string, other: string, language: string | null): number {
  const [left, right] = [plainName(one), plainName(other)];
  if (left === right) return left === '' ? 0 : 1;
  if (numbersIn(left) !== numbersIn(right)) return 0;
  const [leftStems, rightStems] = [stemsOf(left, language), stemsOf(right, language)];
  if (leftStems === rightStems) return 1;
  const longest = Math.max(left.length, right.length);
  if (Math.min(left.length, right.length) < minLength || differInWord(leftStems, rightStems)) return 0;
  return 1 - distance(left, right) / longest;
}

function plainName(name: string): string {
  return fold(name)
    .replaceAll(/[^\p{L}\p{N}+#]+/gu, ' ')
    .trim();
}

/** "Q1 2024" and "Q2 2024" are similar but not the same. */
function numbersIn(name: string): string {
  return (name.match(/\d+/g) ?? []).join(' ');
}

function stemsOf(name: string, language: string | null): string {
  const { stem } = vocabularyOf(language);
  return name.split(' ').map(stem).join(' ');
}

/** Names of as many words, one of which is another word: "sales team east" and "sales team west". */
function differInWord(left: string, right: string): boolean {
  const [lefts, rights] = [left.split(' '), right.split(' ')];
  if (lefts.length === 1 || lefts.length !== rights.length) return false;
  return lefts.some((word, i) => {
    const other = rights[i] ?? '';
    const longest = Math.max(word.length, other.length);
    return word !== other && (longest < minLength || 1 - distance(word, other) / longest < 0.75);
  });
}
