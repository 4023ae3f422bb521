import { expect, it } from '@jest/globals';
import { missingLegs, nothingRan } from './legs.ts';

it('says nothing when everything that was asked for ran', () =>
  expect(missingLegs({ keyword: 'ok', semantic: 'not_asked' })).toBeNull());
it('names the leg that did not run, and why', () => {
  expect(missingLegs({ keyword: 'ok', semantic: 'unavailable' })).toBe(
    'Search by meaning is not available; these results come from search by words alone.',
  );
  expect(missingLegs({ keyword: 'failed', semantic: 'ok' })).toContain('Search by words failed just now');
});
it('takes an answer without any leg for an outage', () => {
  expect(nothingRan({ keyword: 'failed', semantic: 'unavailable' })).toBe(true);
  expect(nothingRan({ keyword: 'not_asked', semantic: 'failed' })).toBe(true);
  expect(nothingRan({ keyword: 'ok', semantic: 'failed' })).toBe(false);
});
