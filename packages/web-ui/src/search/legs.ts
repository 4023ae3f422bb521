import type { SearchResponse } from '../api/queries.ts';

const names = { keyword: 'exact words', semantic: 'similar meaning' } as const;

/** Explains which requested part of the search did not run; null when all parts ran. */
export function missingLegs(legs: SearchResponse['legs']): string | null {
  const missing = (['keyword', 'semantic'] as const).filter(
    (leg) => legs[leg] === 'unavailable' || legs[leg] === 'failed',
  );
  if (missing.length === 0) return null;
  if (missing.length === 2) return 'Neither exact words nor similar meaning could be searched.';
  const [leg] = missing as ['keyword' | 'semantic'];
  const reason = legs[leg] === 'failed' ? 'failed' : 'isn’t available';
  const other = names[leg === 'keyword' ? 'semantic' : 'keyword'];
  return `The search for ${names[leg]} ${reason}. These results are for ${other} only.`;
}

/** True when no requested part ran, which is an outage and not an empty result. */
export function isSearchOutage(legs: SearchResponse['legs']): boolean {
  return legs.keyword !== 'ok' && legs.semantic !== 'ok';
}
