import { expect, it } from '@jest/globals';
import { isNothingSearched, missingLegs } from './legs.ts';

it('returns null when all requested parts ran', () =>
  expect(missingLegs({ keyword: 'ok', semantic: 'not_asked' })).toBeNull());
it('names the part that did not run, and why', () => {
  expect(missingLegs({ keyword: 'ok', semantic: 'unavailable' })).toBe(
    'The search for similar meaning isn’t available. These results are for exact words only.',
  );
  expect(missingLegs({ keyword: 'ok', semantic: 'failed' })).toContain('The search for similar meaning failed');
  expect(missingLegs({ keyword: 'failed', semantic: 'ok' })).toContain('The search for exact words failed');
});
it('recognises that the text had nothing to search for', () => {
  expect(isNothingSearched({ keyword: 'not_asked', semantic: 'not_asked' })).toBe(true);
  expect(isNothingSearched({ keyword: 'not_asked', semantic: 'ok' })).toBe(false);
});
