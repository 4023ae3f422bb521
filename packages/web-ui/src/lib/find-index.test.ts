import { describe, expect, it } from '@jest/globals';
import { lastAtOrBefore } from './find-index.ts';

describe('lastAtOrBefore', () => {
  const starts = [0, 1, 1, 4, 9];
  const indexAt = (time: number) => lastAtOrBefore(starts, time, (start) => start);
  it('is -1 before the first', () => expect(indexAt(-0.1)).toBe(-1));
  it('is -1 in an empty list', () => expect(lastAtOrBefore([], 3, Number)).toBe(-1));
  it('takes the last of equal starts', () => expect(indexAt(1)).toBe(2));
  it('stays on an item until the next one begins', () =>
    expect([indexAt(3.9), indexAt(4), indexAt(8.99), indexAt(1000)]).toEqual([2, 3, 3, 4]));
  it('returns the same as a linear scan over a hundred thousand items', () => {
    const many = Array.from({ length: 100_000 }, (_, i) => i * 0.37);
    for (const time of [0, 0.36, 5, 12_345.6, 36_999.9, 99_999]) {
      expect(lastAtOrBefore(many, time, (start) => start)).toBe(many.findLastIndex((start) => start <= time));
    }
  });
});
