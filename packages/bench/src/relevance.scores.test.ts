import { describe, expect, it } from '@jest/globals';
import { scoresOf } from './relevance.scores.ts';

describe('relevance scores', () => {
  it('are the means over all questions, 0 for a file that was not found', () => {
    const ranked = [
      { wanted: 'a', found: ['a', 'b'] },
      { wanted: 'b', found: ['a', 'x', 'b'] },
      { wanted: 'c', found: ['a', 'b'] },
      { wanted: 'f', found: ['a', 'b', 'c', 'd', 'e', 'f'] },
    ];
    const { r1, r5, mrr, ndcg } = scoresOf(ranked);
    expect([r1, r5]).toEqual([0.25, 0.5]);
    expect(mrr).toBeCloseTo((1 + 1 / 3 + 1 / 6) / 4, 12);
    expect(ndcg).toBeCloseTo((1 + 1 / 2 + 1 / Math.log2(7)) / 4, 12);
  });

  it('count a rank below ten in the mean reciprocal rank only', () => {
    const found = [...Array.from({ length: 10 }, (_, i) => `x${i}`), 'a'];
    expect(scoresOf([{ wanted: 'a', found }])).toEqual({ r1: 0, r5: 0, mrr: 1 / 11, ndcg: 0 });
  });
});
