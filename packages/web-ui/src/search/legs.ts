import { t } from '@lingui/core/macro';
import type { SearchResponse } from '../api/queries.ts';

/**
 * Explains which requested part of the search did not run; null when all parts ran. One of them ran: without any, the server
 * answers with an error.
 */
export function missingLegs({ keyword, semantic }: SearchResponse['legs']): string | null {
  if (keyword === 'failed') return t`The search for exact words failed. These results are for similar meaning only.`;
  if (semantic === 'failed') return t`The search for similar meaning failed. These results are for exact words only.`;
  if (semantic === 'unavailable')
    return t`The search for similar meaning isn’t available. These results are for exact words only.`;
  return null;
}

/** True when the text contained nothing to search for, so that no part was requested. */
export function isNothingSearched({ keyword, semantic }: SearchResponse['legs']): boolean {
  return keyword === 'not_asked' && semantic === 'not_asked';
}
