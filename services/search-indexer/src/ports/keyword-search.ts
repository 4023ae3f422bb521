import { isAppError, unavailable, type AppError } from '@overtone/service-kit';
import type { AccessScope } from '../access/access.ts';
import { noFilter, type KeywordHits, type KeywordQuery, type SearchIndex } from './search-index.ts';

/** The search server returns at most this many hits. */
export const maxIndexHits = 10_000;

/** `passages`, `files`: how many hits of each at most; 0 files: they are not searched. */
type KeywordScope = AccessScope & { fileIds?: readonly string[]; passages: number; files: number };

/**
 * Searches the scope for words, without the other filters of a search.
 * @throws AppError unavailable when the index does not respond.
 */
export async function searchKeywords(
  index: Pick<SearchIndex, 'search'>,
  keyword: KeywordQuery,
  { passages, files, ...scope }: KeywordScope,
): Promise<KeywordHits> {
  const { keyword: found } = await index.search({
    keyword,
    vector: Promise.resolve(null),
    filter: { ...noFilter, ...scope },
    keywordLimit: passages,
    sectionLimit: 0,
    fileLimit: files,
    semanticLimit: 0,
  });
  if (found.status === 'ok') return found;
  throw indexUnavailable(found.status === 'failed' ? found.error : undefined);
}

/** @param cause an AppError says itself why the index is unavailable. */
export function indexUnavailable(cause: unknown): AppError {
  if (isAppError(cause)) return cause;
  return unavailable('search_unavailable', 'The search index does not respond', { cause, retryAfterSeconds: 5 });
}

/** Without a build nothing is found, which is true only as long as nothing was indexed. @throws AppError unavailable. */
export async function requireBuild(
  index: Pick<SearchIndex, 'builds'>,
  hasFiles: () => Promise<boolean>,
): Promise<void> {
  const { current, building } = await index.builds();
  if (!current && (building || (await hasFiles())))
    throw unavailable('search_unavailable', 'The search index is being built', { retryAfterSeconds: 10 });
}
