import { setImmediate } from 'node:timers/promises';
import type { AccessScope } from '../access/access.ts';
import { searchKeywords } from '../ports/keyword-search.ts';
import type { SearchIndex } from '../ports/search-index.ts';
import { stemOf, variantsOf, type Word } from '../tokenize/tokenize.ts';
import { nearWords } from '../vocabulary/vocabulary.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.store.ts';
import { correctedQuery, type Correction } from './corrections.ts';
import type { Languages } from './search.ts';

type CorrectionsDeps = {
  index: Pick<SearchIndex, 'search'>;
  vocabulary: Pick<Vocabulary, 'all' | 'readable'>;
};
export type FindCorrection = (search: {
  query: string;
  places: readonly Word[];
  /** Words that are marked in the results, and so occur. */
  marked: readonly string[];
  scope: AccessScope;
  languages: Languages;
}) => Promise<Correction | null>;

/** More unknown words are no typing errors. */
const maxWords = 8;

/**
 * Replaces words that occur nowhere in the searcher's files by the nearest word that does. Words that occur are never
 * changed, so that their results stay the same. Throws AppError unavailable when the index does not respond.
 */
export function createCorrections({ index, vocabulary }: CorrectionsDeps): FindCorrection {
  const occurs = async (word: string, scope: AccessScope, languages: Languages): Promise<boolean> => {
    const keyword = { words: variantsOf(word, languages), phrases: [] };
    const { hits } = await searchKeywords(index, keyword, { ...scope, passages: 1, files: 0 });
    return hits.length > 0;
  };

  const nearest = async (word: string, scope: AccessScope): Promise<string | null> => {
    // Other searches go on between two words.
    await setImmediate();
    const near = new Map(nearWords(word, await vocabulary.all()).map((found) => [found.word, found.distance]));
    if (near.size === 0) return null;
    const readable = await vocabulary.readable([...near.keys()], scope);
    const distance = (candidate: string): number => near.get(candidate) ?? 0;
    const [best] = readable.sort(
      (x, y) => distance(x.word) - distance(y.word) || y.files - x.files || (x.word < y.word ? -1 : 1),
    );
    return best?.word ?? null;
  };

  return async ({ query, places, marked, scope, languages }) => {
    const known = new Set(marked.flatMap((word) => variantsOf(word, languages)));
    const unseen = places.filter(({ text }) => ![...languages, 'en'].some((code) => known.has(stemOf(text, code))));
    const words = [...Map.groupBy(unseen, ({ text }) => text.toLowerCase()).entries()].slice(0, maxWords);
    const checked = await Promise.all(
      words.map(async ([word, occurrences]) => {
        if (await occurs(word, scope, languages)) return [];
        const replacement = await nearest(word, scope);
        return replacement === null ? [] : occurrences.map((place) => ({ place, replacement }));
      }),
    );
    const replaced = checked.flat();
    return replaced.length > 0 ? correctedQuery(query, replaced) : null;
  };
}
