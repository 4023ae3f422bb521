import { expect, it } from '@jest/globals';
import { isNothingSearched, isSearchOutage, missingLegs } from './legs.ts';

it('returns null when all requested parts ran', () =>
  expect(missingLegs({ keyword: 'ok', semantic: 'not_asked' })).toBeNull());
it('names the part that did not run, and why', () => {
  expect(missingLegs({ keyword: 'ok', semantic: 'unavailable' })).toBe(
    'The search for similar meaning isn’t available. These results are for exact words only.',
  );
  expect(missingLegs({ keyword: 'failed', semantic: 'ok' })).toContain('The search for exact words failed');
});
it('treats a response without any part as an outage', () => {
  expect(isSearchOutage({ keyword: 'failed', semantic: 'unavailable' })).toBe(true);
  expect(isSearchOutage({ keyword: 'not_asked', semantic: 'failed' })).toBe(true);
  expect(isSearchOutage({ keyword: 'ok', semantic: 'failed' })).toBe(false);
});
it('does not treat a text without anything to search for as an outage', () => {
  const legs = { keyword: 'not_asked', semantic: 'not_asked' } as const;
  expect(isSearchOutage(legs)).toBe(false);
  expect(isNothingSearched(legs)).toBe(true);
  expect(isNothingSearched({ keyword: 'not_asked', semantic: 'failed' })).toBe(false);
});
