import type { SearchAnswer } from '../api/queries.ts';

const names = { keyword: 'by words', semantic: 'by meaning' } as const;

/** What did not run although it was asked for, in words; null when everything did. */
export const missingLegs = (legs: SearchAnswer['legs']): string | null => {
  const missing = (['keyword', 'semantic'] as const).filter(
    (leg) => legs[leg] === 'unavailable' || legs[leg] === 'failed',
  );
  if (missing.length === 0) return null;
  if (missing.length === 2) return 'Neither search by words nor by meaning could run.';
  const [one] = missing as ['keyword' | 'semantic'];
  const why = legs[one] === 'failed' ? 'failed just now' : 'is not available';
  return `Search ${names[one]} ${why}; these results come from search ${names[one === 'keyword' ? 'semantic' : 'keyword']} alone.`;
};
/** True when no leg that was asked for gave an answer: that is an outage, not an empty result. */
export const nothingRan = (legs: SearchAnswer['legs']): boolean => legs.keyword !== 'ok' && legs.semantic !== 'ok';
