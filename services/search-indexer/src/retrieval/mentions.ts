import type { Shown } from '../ports/search-index.ts';
import type { Languages } from '../search/search.ts';
import { indexAt } from '../chunking/chunking.ts';
import { splitWords, stemmerOf, stemOf } from '../tokenize/tokenize.ts';

/** A phrase as stems; one alternative per language, its stems separated by spaces. */
export type Phrase = { length: number; alternatives: string[] };

/** @returns null for a text without words. */
export function phraseOf(text: string, languages: Languages): Phrase | null {
  const words = splitWords(text).map((word) => word.text);
  if (words.length === 0) return null;
  const alternatives = new Set(
    [...languages, 'en'].map((language) => words.map((word) => stemOf(word, language)).join(' ')),
  );
  return { length: words.length, alternatives: [...alternatives] };
}

/** Splits files into groups with at most `limit` passages; a longer file is a group of its own. */
export function batchesOf<T extends { chunks: number }>(files: readonly T[], limit: number): T[][] {
  const batches: T[][] = [];
  let passages = Infinity;
  for (const file of files) {
    passages += file.chunks;
    if (passages > limit) {
      batches.push([]);
      passages = file.chunks;
    }
    batches.at(-1)?.push(file);
  }
  return batches;
}

/** Counts the phrase in passages of one file; speech in the overlap of two passages counts once. */
export function countMentions(phrase: Phrase, passages: readonly Shown[], language: string | null): number {
  const ordered = passages
    .map((shown) => ({ shown, position: Number(shown.id.slice(37)) }))
    .toSorted((x, y) => x.position - y.position);
  let count = 0;
  for (const [i, { shown, position }] of ordered.entries()) {
    const before = ordered[i - 1];
    const overlap = before?.position === position - 1 ? overlapOf(before.shown, shown) : 0;
    count += lastTokens(phrase, shown, language).filter((token) => token >= overlap).length;
  }
  return count;
}

/** For each occurrence of the phrase the index of the token that contains its last word. */
function lastTokens({ length, alternatives }: Phrase, { text, layout }: Shown, language: string | null): number[] {
  const stem = stemmerOf(language);
  const words = splitWords(text);
  const stems = words.map((word) => stem(word.text));
  const tokens: number[] = [];
  for (let i = 0; i + length <= stems.length; i++) {
    if (!alternatives.includes(stems.slice(i, i + length).join(' '))) continue;
    tokens.push(indexAt(layout?.at ?? [0], words[i + length - 1]?.at ?? 0));
    // Occurrences do not overlap each other, as in a text search.
    i += length - 1;
  }
  return tokens;
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
