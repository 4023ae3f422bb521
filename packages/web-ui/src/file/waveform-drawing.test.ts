import { describe, expect, it } from '@jest/globals';
import { barsOf, columnsOf } from './waveform-drawing.ts';

describe('barsOf', () => {
  it('takes the loudest of the peaks of a bar', () => expect(barsOf([0, 1, 0.5, 0.25], 2)).toEqual([1, 0.5]));
  it('repeats peaks when there are more bars', () => expect(barsOf([1, 0.5], 4)).toEqual([1, 1, 0.5, 0.5]));
  it('does not amplify a silent recording', () => expect(Math.max(...barsOf([0.001, 0.002], 2))).toBeLessThan(0.1));
  it('is empty without peaks', () => expect(barsOf([], 10)).toEqual([]));
});

describe('columnsOf', () => {
  it('shows the speaker with the most talk time in each column', () =>
    expect(
      columnsOf(
        [
          { start: 0, end: 6, color: 'a' },
          { start: 6, end: 10, color: 'b' },
        ],
        10,
        2,
      ),
    ).toEqual(['a', 'b']));
  it('adds up the spans of one speaker', () =>
    expect(
      columnsOf(
        [
          { start: 0, end: 2, color: 'a' },
          { start: 2, end: 5, color: 'b' },
          { start: 5, end: 7, color: 'a' },
        ],
        10,
        1,
      ),
    ).toEqual(['a']));
  it('leaves silence empty', () =>
    expect(columnsOf([{ start: 8, end: 10, color: 'a' }], 10, 5)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'a',
    ]));
  it('is empty while the duration is unknown', () =>
    expect(columnsOf([{ start: 0, end: 1, color: 'a' }], 0, 2)).toEqual([undefined, undefined]));
});
