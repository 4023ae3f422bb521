import { t } from '@lingui/core/macro';
import type { SearchResponse } from '../api/queries.ts';

/** Explains which requested part of the search did not run; null when all parts ran. */
export function missingLegs(legs: SearchResponse['legs']): string | null {
  const missing = (['keyword', 'semantic'] as const).filter(
    (leg) => legs[leg] === 'unavailable' || legs[leg] === 'failed',
  );
  if (missing.length === 0) return null;
  if (missing.length === 2) return t`Neither exact words nor similar meaning could be searched.`;
  const [leg] = missing as ['keyword' | 'semantic'];
  if (leg === 'keyword')
    return legs.keyword === 'failed'
      ? t`The search for exact words failed. These results are for similar meaning only.`
      : t`The search for exact words isn’t available. These results are for similar meaning only.`;
  return legs.semantic === 'failed'
    ? t`The search for similar meaning failed. These results are for exact words only.`
    : t`The search for similar meaning isn’t available. These results are for exact words only.`;
}

/** True when every requested part failed to run, which is an outage and not an empty result. */
export function isSearchOutage(legs: SearchResponse['legs']): boolean {
  return legs.keyword !== 'ok' && legs.semantic !== 'ok' && !isNothingSearched(legs);
}

/** True when the text contained nothing to search for, so that no part was requested. */
export function isNothingSearched({ keyword, semantic }: SearchResponse['legs']): boolean {
  return keyword === 'not_asked' && semantic === 'not_asked';
}
