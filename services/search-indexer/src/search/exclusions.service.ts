import { invalid } from '@overtone/service-kit';
import type { AccessScope } from '../access/access.ts';
import { maxIndexHits, searchKeywords } from '../ports/keyword-search.ts';
import type { SearchIndex } from '../ports/search-index.ts';
import { phraseVariantsOf, variantsOf } from '../tokenize/tokenize.ts';
import type { Languages } from './search.ts';

/** The files in which one of the phrases occurs; a phrase is a list of words. */
export type FindFilesWith = (
  phrases: readonly (readonly string[])[],
  scope: AccessScope,
  languages: Languages,
) => Promise<string[]>;

/** As a filter of a search, more files than this would make it slow. */
const maxFiles = 5_000;

/**
 * Resolves excluded words to the files in which they occur, so that one filter excludes them from both legs.
 * @throws AppError invalid_request when there are too many of them, unavailable when the index does not respond.
 */
export function createExclusions({ index }: { index: Pick<SearchIndex, 'search'> }): FindFilesWith {
  return async (phrases, scope, languages) => {
    const found = phrases.map(async (words) => {
      const [word] = words;
      const single = words.length === 1 && word !== undefined;
      const keyword = single
        ? { words: variantsOf(word, languages), phrases: [] }
        : { words: [], phrases: [phraseVariantsOf(words, languages)] };
      // A row of a whole file has all its words, but not their order.
      const limits = single ? { passages: 1, files: maxFiles } : { passages: maxIndexHits, files: 0 };
      const { files, hits } = await searchKeywords(index, keyword, { ...scope, ...limits });
      if (files.length >= maxFiles || hits.length >= maxIndexHits)
        throw invalid(
          'invalid_request',
          `“${words.join(' ')}” occurs too often to be excluded. Exclude a rarer word, or leave it out.`,
        );
      return (single ? files : hits).map(({ fileId }) => fileId);
    });
    return [...new Set((await Promise.all(found)).flat())];
  };
}
