import { describe, expect, it } from '@jest/globals';
import { axisOf, took } from './run-axis.ts';

const span = (from: number, to: number) => ({ from: from * 1000, to: to * 1000 });
const rounded = ({ left, width }: { left: number; width: number }) => [Math.round(left), Math.round(width)];

describe('the time of a run as it is drawn', () => {
  it('is to scale while somebody works', () => {
    const spans = [span(0, 2), span(2, 8), span(8, 10)];
    const { placeOf, pieces } = axisOf(spans);
    expect(spans.map((s) => rounded(placeOf(s)))).toEqual([
      [0, 20],
      [20, 60],
      [80, 20],
    ]);
    expect(pieces).toEqual([{ from: 0, to: 10_000, cut: false }]);
  });
  it('keeps short pauses and cuts long ones, so that no try becomes too small to see', () => {
    const spans = [span(0, 4), span(5, 9), span(90_000, 90_002)];
    const { placeOf, pieces } = axisOf(spans);
    expect(pieces.map((p) => p.cut)).toEqual([false, false, false, true, false]);
    expect(spans.map((s) => rounded(placeOf(s)))).toEqual([
      [0, 31],
      [38, 31],
      [85, 15],
    ]);
  });
  it('is there before anything took any time', () => {
    expect(rounded(axisOf([span(1, 1)]).placeOf(span(1, 1)))).toEqual([0, 0]);
    expect(axisOf([]).pieces).toEqual([]);
  });
});

describe('how long something took', () => {
  it('is told in the unit that fits', () => {
    expect([400, 12_000, 185_000, 3_720_000, 90_000_000].map(took)).toEqual([
      '0.4 s',
      '12 s',
      '3 min 5 s',
      '1 h 2 min',
      '1 d 1 h',
    ]);
  });
});
