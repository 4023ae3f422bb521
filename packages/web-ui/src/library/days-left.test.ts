import { expect, it } from '@jest/globals';
import { daysLeftText } from './days-left.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
it.each([
  ['2026-03-31T12:00:00Z', '30 days left'],
  ['2026-03-03T11:00:00Z', '2 days left'],
  ['2026-03-02T11:00:00Z', 'Less than a day left'],
  ['2026-03-01T11:00:00Z', 'Deleted permanently soon'],
])('shows for a deletion at %s: %s', (purgeAt, text) => expect(daysLeftText(purgeAt, now)).toBe(text));
