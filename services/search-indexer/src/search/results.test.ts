import { describe, expect, it } from '@jest/globals';
import type { Hit } from '../ports/search-index.ts';
import { fuse, groupByFile, filterBySimilarity, relevance } from './results.ts';

function hits(...ids: string[]): Hit[] {
  return ids.map((id, i) => ({ id, fileId: id.slice(0, 1), score: 10 - i }));
}

describe('ranking', () => {
  it('ranks hits of both legs before hits of one', () => {
    expect(fuse(hits('a1', 'b1', 'c1'), hits('c1', 'd1')).map((hit) => hit.id)).toEqual(['c1', 'a1', 'b1', 'd1']);
  });

  it('adds 1/(60 + rank) per leg', () => {
    const [first] = fuse(hits('a1'), hits('a1'));
    expect(first?.score).toBeCloseTo(2 / 61, 12);
    expect(first).toMatchObject({ keyword: 0, semantic: 0 });
  });

  it('breaks ties by the keyword leg and then by id, whatever the input order', () => {
    expect(fuse(hits('b1'), hits('a1')).map((hit) => hit.id)).toEqual(['b1', 'a1']);
    expect(groupByFile(fuse(hits('b1'), hits('a1'))).map((file) => file.fileId)).toEqual(['a', 'b']);
  });

  it('counts a passage once when a leg returns it twice', () => {
    expect(fuse(hits('a1', 'a1'), [])).toHaveLength(1);
    expect(fuse(hits('a1', 'a1'), [])[0]?.score).toBeCloseTo(1 / 61, 12);
  });

  it('ranks a passage by its best window', () => {
    const windows = [
      { id: 'a1', fileId: 'a', score: 0.9, token: 30 },
      { id: 'a1', fileId: 'a', score: 0.8, token: 0 },
      { id: 'b1', fileId: 'b', score: 0.7, token: 5 },
    ];
    const fused = fuse([], windows);
    expect(fused).toMatchObject([
      { id: 'a1', token: 30, semantic: 0 },
      { id: 'b1', token: 5, semantic: 1 },
    ]);
    expect(fused[1]?.score).toBeCloseTo(1 / 62, 12);
  });

  it('groups by file, best passage first, and marks files found only by the semantic leg', () => {
    const files = groupByFile(fuse(hits('a1', 'a2', 'b1'), hits('c1', 'a2')));
    expect(files.map((file) => file.fileId)).toEqual(['a', 'c', 'b']);
    expect(files.map((file) => file.semanticOnly)).toEqual([false, true, false]);
    expect(files[0]?.passages.map((passage) => passage.id)).toEqual(['a2', 'a1']);
  });

  it('gives relevance 1 to the first hit of every leg that ran', () => {
    expect(relevance(2 / 61, 2)).toBeCloseTo(1, 12);
    expect(relevance(1 / 61, 1)).toBeCloseTo(1, 12);
    expect(relevance(1 / 61, 2)).toBeCloseTo(0.5, 12);
  });

  it('drops dissimilar hits, even if none remain', () => {
    const near = (...scores: number[]) => scores.map((score, i) => ({ id: `a${i}`, fileId: 'a', score }));
    expect(filterBySimilarity(near(0.3, 0.2), 0.5)).toEqual([]);
    expect(filterBySimilarity(near(0.9, 0.7, 0.6), 0.5)).toHaveLength(2);
    expect(filterBySimilarity([], 0.5)).toEqual([]);
  });
});
