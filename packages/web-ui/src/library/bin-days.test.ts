import { describe, expect, it } from '@jest/globals';
import { binDaysText, binText } from './bin-days.ts';

describe('binDaysText', () => {
  it.each([
    [undefined, 'You can restore them for a limited time.'],
    [0, 'They are deleted permanently right away.'],
    [0.5, 'You can restore them for 0.5 days.'],
    [1, 'You can restore them for 1 day.'],
    [90, 'You can restore them for 90 days.'],
  ])('says how long recordings can be restored with bin_days %s', (days, text) => expect(binDaysText(days)).toBe(text));
});

describe('binText', () => {
  it.each([
    [undefined, 'Recordings stay here for a limited time. After that they are deleted permanently.'],
    [0, 'Recordings are deleted permanently right away.'],
    [7, 'Recordings stay here for 7 days. After that they are deleted permanently.'],
  ])('says how long recordings stay in the bin with bin_days %s', (days, text) => expect(binText(days)).toBe(text));
});
