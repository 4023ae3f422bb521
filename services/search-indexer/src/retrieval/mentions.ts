import { positionOf, type Shown } from '../ports/search-index.ts';
import type { Languages } from '../search/search.ts';
import { indexAt } from '../chunking/chunking.ts';
import { phraseVariantsOf, splitWords, stemmerOf } from '../tokenize/tokenize.ts';

/** A phrase as stems; one alternative per language, its stems separated by spaces. */
export type Phrase = { length: number; alternatives: string[] };

/** @returns null for a text without words. */
export function phraseOf(text: string, languages: Languages): Phrase | null {
  const words = splitWords(text).map((word) => word.text);
  if (words.length === 0) return null;
  return { length: words.length, alternatives: phraseVariantsOf(words, languages) };
}

/** Splits files into groups with at most `limit` passages; a longer file is a group of its own. */
export function batchesOf<T extends { passages: number }>(files: readonly T[], limit: number): T[][] {
  const batches: T[][] = [];
  let passages = Infinity;
  for (const file of files) {
    passages += file.passages;
    if (passages > limit) {
      batches.push([]);
      passages = file.passages;
    }
    batches.at(-1)?.push(file);
  }
  return batches;
}

/** `start`: seconds to the first one; 0 without any. */
export type Mentions = { count: number; start: number };

/** Finds the phrase in passages of one file; speech in the overlap of two passages counts once. */
export function findMentions(phrase: Phrase, passages: readonly Shown[], language: string | null): Mentions {
  const ordered = passages
    .map((shown) => ({ shown, position: positionOf(shown.id) }))
    .toSorted((x, y) => x.position - y.position);
  const starts = ordered.flatMap(({ shown, position }, i) => {
    const before = ordered[i - 1];
    const overlap = before?.position === position - 1 ? overlapOf(before.shown, shown) : 0;
    return occurrencesOf(phrase, shown, language)
      .filter(({ last }) => last >= overlap)
      .map(({ first }) => (shown.layout?.ms[first] ?? 0) / 1000);
  });
  return { count: starts.length, start: starts[0] ?? 0 };
}

/** For each occurrence of the phrase the indexes of the tokens that contain its first and its last word. */
function occurrencesOf(
  { length, alternatives }: Phrase,
  { text, layout }: Shown,
  language: string | null,
): { first: number; last: number }[] {
  const stem = stemmerOf(language);
  const words = splitWords(text);
  const stems = words.map((word) => stem(word.text));
  const tokenAt = (word: number): number => indexAt(layout?.at ?? [0], words[word]?.at ?? 0);
  const found: { first: number; last: number }[] = [];
  for (let i = 0; i + length <= stems.length; i++) {
    if (!alternatives.includes(stems.slice(i, i + length).join(' '))) continue;
    found.push({ first: tokenAt(i), last: tokenAt(i + length - 1) });
    // Occurrences do not overlap each other, as in a text search.
    i += length - 1;
  }
  return found;
}

/** The number of tokens at the start of a passage that are also the end of the previous one. */
function overlapOf(before: Shown, { text, layout }: Shown): number {
  const [first, then] = [tokensOf(before), tokensOf({ text, layout })];
  for (let length = Math.min(first.length, then.length) - 1; length > 0; length--)
    if (then[0] === first[first.length - length] && first.slice(-length).every((token, i) => token === then[i]))
      return length;
  return 0;
}

/** Time and text of each token, which together identify it. */
function tokensOf({ text, layout }: Pick<Shown, 'text' | 'layout'>): string[] {
  const at = layout?.at ?? [];
  return at.map((start, i) => `${layout?.ms[i] ?? 0} ${text.slice(start, at[i + 1]).trim()}`);
}
