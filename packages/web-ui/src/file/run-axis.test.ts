import { describe, expect, it } from '@jest/globals';
import { axisOf, durationText } from './run-axis.ts';

function span(from: number, to: number) {
  return { from: from * 1000, to: to * 1000 };
}

function rounded({ left, width }: { left: number; width: number }) {
  return [Math.round(left), Math.round(width)];
}

describe('axisOf', () => {
  it('draws working time to scale', () => {
    const spans = [span(0, 2), span(2, 8), span(8, 10)];
    const { placementOf, sections } = axisOf(spans);
    expect(spans.map((work) => rounded(placementOf(work)))).toEqual([
      [0, 20],
      [20, 60],
      [80, 20],
    ]);
    expect(sections).toEqual([{ from: 0, to: 10_000, isShortened: false }]);
  });
  it('keeps short pauses and shortens long ones, so that every attempt stays visible', () => {
    const spans = [span(0, 4), span(5, 9), span(90_000, 90_002)];
    const { placementOf, sections } = axisOf(spans);
    expect(sections.map(({ isShortened }) => isShortened)).toEqual([false, false, false, true, false]);
    expect(spans.map((work) => rounded(placementOf(work)))).toEqual([
      [0, 31],
      [38, 31],
      [85, 15],
    ]);
  });
  it('accepts spans without a length and an empty run', () => {
    expect(rounded(axisOf([span(1, 1)]).placementOf(span(1, 1)))).toEqual([0, 0]);
    expect(axisOf([]).sections).toEqual([]);
  });
});

describe('durationText', () => {
  it('uses seconds, minutes, hours or days', () => {
    expect([400, 12_000, 185_000, 3_720_000, 90_000_000].map(durationText)).toEqual([
      '0.4 s',
      '12 s',
      '3 min 5 s',
      '1 h 2 min',
      '1 d 1 h',
    ]);
  });
});
