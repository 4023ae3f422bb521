import { describe, expect, it } from '@jest/globals';
import type { SegmentObject } from '@overtone/contracts';
import { judgeSound, qualityOf } from './quality.ts';

function segment(start: number, words: readonly (readonly [number | null, boolean?])[]): SegmentObject {
  return {
    uuid: `${start}`,
    start_time: start,
    end_time: start + 1,
    text: '',
    speaker: null,
    confidence: null,
    edited: false,
    edited_at: null,
    edited_by: null,
    edited_by_name: null,
    version: 1,
    words: words.map(([confidence, overlap = false]) => ({ word: 'x', start, end: start, confidence, overlap })),
    redactions: [],
    withheld: false,
  };
}

function indexed(segments: readonly SegmentObject[]) {
  return segments.map((one, index) => ({ index, segment: one }));
}

describe('the quality of a transcript', () => {
  it('counts words by three steps of confidence, those without one, and those of overlapping speech', () => {
    const segments = [segment(0, [[0.9], [0.5], [0.1, true]]), segment(1, [[null], [0.6, true]])];
    expect(qualityOf(indexed(segments))).toMatchObject({
      words: 5,
      sure: 2,
      some: 1,
      strong: 1,
      unknown: 1,
      overlap: 2,
    });
  });

  it('names the passages with most words that are probably wrong, five at most', () => {
    const segments = Array.from({ length: 8 }, (_, i) =>
      segment(i, [[0.9], ...Array.from({ length: i }, () => [0.1] as const)]),
    );
    expect(qualityOf(indexed(segments)).worst.map(({ start }) => start)).toEqual([7, 6, 5, 4, 3]);
    expect(qualityOf(indexed([segment(0, [[0.5]])])).worst).toEqual([]);
  });
});

describe('the sound of a recording', () => {
  it.each([
    [{ level_db: -20, noise_db: -55, clipped: 0 }, []],
    [{ level_db: -50, noise_db: -80, clipped: 0 }, ['quiet']],
    [{ level_db: -20, noise_db: -30, clipped: 0.2 }, ['noisy', 'clipped']],
  ])('of %p has the faults %p', (sound, faults) => expect(judgeSound(sound)).toEqual(faults));
});
