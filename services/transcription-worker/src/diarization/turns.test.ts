import { describe, expect, it } from '@jest/globals';
import { likeliestSpeakers, mergeTurns, toTurns } from './turns.ts';

function scores(...rows: [number, number][]): Float64Array[] {
  return rows.map((row) => Float64Array.from(row));
}

function none(count: number): boolean[] {
  return Array.from({ length: count }, () => false);
}

describe('the most likely speaker of each block', () => {
  it('does not change in a single ambiguous block', () => {
    const rows = scores([0, -100], [0, -100], [-20, 0], [0, -100]);
    expect(likeliestSpeakers(rows, none(4))).toEqual([0, 0, 0, 0]);
  });

  it('changes where the evidence persists', () => {
    const rows = scores([0, -100], [0, -100], [-100, 0], [-100, 0]);
    expect(likeliestSpeakers(rows, none(4))).toEqual([0, 0, 1, 1]);
  });

  it('changes more easily after a pause', () => {
    const rows = scores([0, -100], [-40, 0], [0, -100]);
    expect(likeliestSpeakers(rows, none(3))).toEqual([0, 0, 0]);
    expect(likeliestSpeakers(rows, [true, true, true])).toEqual([0, 1, 0]);
  });
});

describe('turns', () => {
  const block = (start: number, end: number): { start: number; end: number } => ({ start, end });

  it('join adjacent blocks of one speaker over a short gap, not over one second', () => {
    const blocks = [block(0, 1), block(1.4, 2), block(3.5, 4), block(4, 5)];
    expect(toTurns(blocks, [0, 0, 0, 1])).toEqual([
      { start: 0, end: 2, speaker: 0 },
      { start: 3.5, end: 4, speaker: 0 },
      { start: 4, end: 5, speaker: 1 },
    ]);
  });

  it('of one speaker that overlap or touch are merged; those of several speakers are not', () => {
    const turns = [
      { start: 0, end: 2, speaker: 0 },
      { start: 2, end: 5, speaker: 1 },
      { start: 1.5, end: 2, speaker: 1 },
      { start: 1.8, end: 2.3, speaker: 0 },
      { start: 6, end: 7, speaker: 0 },
    ];
    expect(mergeTurns(turns)).toEqual([
      { start: 0, end: 2.3, speaker: 0 },
      { start: 1.5, end: 5, speaker: 1 },
      { start: 6, end: 7, speaker: 0 },
    ]);
  });
});
