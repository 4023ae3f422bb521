import { describe, expect, it } from '@jest/globals';
import type { Hit, KeywordHits } from '../ports/search-index.ts';
import { addPassages, filterBySimilarity, fuse, rankFiles } from './ranking.ts';

/** Hits `<file><n>:<score>`, best first. */
function hits(...given: string[]): Hit[] {
  return given.map((text) => {
    const [id = '', score] = text.split(':');
    return { id, fileId: id.slice(0, 1), score: Number(score) };
  });
}

function levels(given: Partial<Record<keyof KeywordHits, string[]>>): KeywordHits {
  const { hits: passages = [], sections = [], files = [] } = given;
  return { hits: hits(...passages), sections: hits(...sections), files: hits(...files) };
}

function order(files: readonly { fileId: string }[]): string {
  return files.map(({ fileId }) => fileId).join('');
}

describe('the ranking of files', () => {
  it('gives score 1 to the best file of every level of the words', () => {
    const keyword = levels({ hits: ['a1:9', 'b1:3'], sections: ['a1:20', 'b1:10'], files: ['a1:5', 'b1:1'] });
    const [first, second] = rankFiles({ keyword, semantic: hits('a1:0.8', 'b1:0.4') });
    expect(first?.score).toBeCloseTo(1, 12);
    expect(second?.score).toBeCloseTo((1 / 3 + 1 / 2 + 1 / 5) / 3, 12);
  });

  it('prefers a file that is good in its sections and as a whole to one with a single good passage', () => {
    const keyword = levels({ hits: ['a1:10', 'b1:9'], sections: ['b1:20', 'a1:8'], files: ['b1:6', 'a1:2'] });
    expect(order(rankFiles({ keyword, semantic: null }))).toBe('ba');
  });

  it('counts the three best passages of a file, each less than the one before', () => {
    const keyword = levels({ hits: ['a1:6', 'b1:5', 'b2:5', 'b3:3', 'b4:3'] });
    const [first, second] = rankFiles({ keyword, semantic: null });
    expect([first?.fileId, second?.fileId]).toEqual(['b', 'a']);
    expect(second?.score).toBeCloseTo(6 / (5 + 5 / 2 + 3 / 3), 12);
  });

  it('never lets the semantic leg overrule the words', () => {
    const keyword = levels({ hits: ['a1:100', 'b1:99', 'd1:60'] });
    const files = rankFiles({ keyword, semantic: hits('b1:1', 'c1:0.9', 'd1:0.8') });
    expect(order(files)).toBe('abdc');
    expect(files.map(({ score }) => score)).toEqual([1, 0.99, 0.6, 0.9 * 0.6]);
  });

  it('lets the semantic leg decide between files with equal words', () => {
    const keyword = levels({ hits: ['a1:10', 'b1:10'] });
    expect(order(rankFiles({ keyword, semantic: hits('b1:1', 'a1:0.5') }))).toBe('ba');
    expect(order(rankFiles({ keyword, semantic: null }))).toBe('ab');
  });

  it('adds meaning to the words in the share that its model is worth', () => {
    const keyword = levels({ hits: ['a1:100', 'b1:90', 'd1:60'] });
    const files = rankFiles({ keyword, semantic: hits('b1:1', 'c1:0.5') }, 0.2);
    expect(order(files)).toBe('badc');
    expect(files.map(({ score }) => score)).toEqual(
      [0.8 * 0.9 + 0.2, 0.8, 0.48, 0.1].map((x) => expect.closeTo(x, 12)),
    );
    expect(files.map(({ semanticOnly }) => semanticOnly)).toEqual([false, false, false, true]);
  });

  it('shows the nearest fifty passages by meaning; those after them rank only files that the words found', () => {
    const near = Array.from({ length: 60 }, (_, i) => ({ id: `a${i}`, fileId: 'a', score: 0.9 - i / 1000 }));
    const semantic = [...near, ...hits('b1:0.5', 'c1:0.4')];
    const [first, second, third] = rankFiles({ keyword: levels({ hits: ['b2:9'] }), semantic }, 0.2);
    expect(first).toMatchObject({ fileId: 'b', passages: [{ id: 'b2' }] });
    expect(first?.score).toBeGreaterThan(0.8);
    expect([second?.fileId, second?.passages.length, third]).toEqual(['a', 50, undefined]);
  });

  it('ranks by meaning alone when there is no keyword leg, and marks files found only by meaning', () => {
    const [first] = rankFiles({ keyword: null, semantic: hits('b1:1', 'a1:0.5') });
    expect(first).toMatchObject({ fileId: 'b', score: 1, semanticOnly: true });
    const both = rankFiles({ keyword: levels({ hits: ['a1:3'] }), semantic: hits('c1:0.9', 'a1:0.8') });
    expect(both.map(({ semanticOnly }) => semanticOnly)).toEqual([false, true]);
  });

  it('returns files known only by their sections without passages, which are added later', () => {
    const keyword = levels({ hits: ['a1:3'], sections: ['b1:9', 'a1:8'] });
    const files = rankFiles({ keyword, semantic: null });
    expect(files.map(({ fileId, passages }) => [fileId, passages.length])).toEqual([
      ['a', 1],
      ['b', 0],
    ]);
    const added = addPassages(files, { keyword: levels({ hits: ['b7:2', 'b3:1'] }), semantic: null });
    expect(added.map(({ passages }) => passages.map(({ id }) => id))).toEqual([['a1'], ['b7', 'b3']]);
  });
});

describe('the passages of both legs', () => {
  it('are ranked by their scores relative to the best of each leg', () => {
    const keyword = levels({ hits: ['a1:10', 'b1:8', 'c1:1'] });
    const fused = fuse({ keyword, semantic: hits('b1:0.8', 'd1:0.6') });
    expect(fused.map(({ id }) => id)).toEqual(['b1', 'a1', 'd1', 'c1']);
    expect(fused[0]).toMatchObject({ keyword: 1, semantic: 0 });
    expect(fused[0]?.score).toBeCloseTo(0.75 * 0.8 + 0.25, 12);
  });

  it('are ordered by the keyword leg and then by id when their scores are equal, whatever the input order', () => {
    const keyword = levels({ hits: ['b1:1', 'a1:1'] });
    expect(fuse({ keyword, semantic: null }).map(({ id }) => id)).toEqual(['b1', 'a1']);
    expect(order(rankFiles({ keyword, semantic: null }))).toBe('ab');
    expect(order(rankFiles({ keyword: levels({ hits: ['a1:1', 'b1:1'] }), semantic: null }))).toBe('ab');
  });

  it('count once per leg, by their best window', () => {
    const windows = [
      { id: 'a1', fileId: 'a', score: 0.9, token: 30 },
      { id: 'a1', fileId: 'a', score: 0.8, token: 0 },
      { id: 'b1', fileId: 'b', score: 0.45, token: 5 },
    ];
    expect(fuse({ keyword: null, semantic: windows })).toMatchObject([
      { id: 'a1', token: 30, semantic: 0, score: 1 },
      { id: 'b1', token: 5, semantic: 1, score: 0.5 },
    ]);
  });

  it('are dropped when they are dissimilar, even if none remain', () => {
    const near = (...scores: number[]) => scores.map((score, i) => ({ id: `a${i}`, fileId: 'a', score }));
    expect(filterBySimilarity(near(0.3, 0.2), 0.5)).toEqual([]);
    expect(filterBySimilarity(near(0.9, 0.7, 0.6), 0.5)).toHaveLength(2);
    expect(filterBySimilarity([], 0.5)).toEqual([]);
  });
});
