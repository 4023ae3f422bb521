import { describe, expect, it } from '@jest/globals';
import { askedFor, dispositionOf, isKnown, rangeHolds, resample } from './streaming.ts';

describe('a Range header', () => {
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-', 0, 9],
    ['bytes=3-5', 3, 5],
    ['bytes=3-500', 3, 9],
    ['bytes=-4', 6, 9],
    ['bytes=-400', 0, 9],
  ])('%s of ten bytes means %d to %d', (header, start, end) => {
    expect(askedFor(header, 10)).toEqual({ kind: 'range', range: { start, end } });
  });
  it.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])('%s cannot be satisfied', (header) => {
    expect(askedFor(header, 10)).toEqual({ kind: 'unsatisfiable' });
  });
  it.each([undefined, '', 'items=0-1', 'bytes=5-2', 'bytes=-', 'bytes=a-b', 'bytes=0-1,3-4'])(
    '%s is ignored',
    (header) => {
      expect(askedFor(header, 10)).toEqual({ kind: 'whole' });
    },
  );
});

describe('conditional requests', () => {
  it('hold a range back from another version', () => {
    expect([rangeHolds(undefined, '"a"'), rangeHolds('"a"', '"a"'), rangeHolds('"b"', '"a"')]).toEqual([
      true,
      true,
      false,
    ]);
  });
  it('recognise the version a client has', () => {
    const known = ['"a"', 'W/"a"', '"x", "a"', '*', '"b"', undefined].map((header) => isKnown(header, '"a"'));
    expect(known).toEqual([true, true, true, true, false, false]);
  });
});

describe('a file name in a header', () => {
  it('cannot break out of it', () => {
    const header = dispositionOf('attachment', 'a"\r\nSet-Cookie: x=1; b\\..\\c/\u202Egpj.wav');
    expect(header).not.toMatch(/[\r\n\\/]/);
    expect(header).toMatch(/^attachment; filename="[\x20-\x7e]*"; filename\*=UTF-8''[A-Za-z0-9!%._~-]*$/);
  });
  it('keeps letters of any script', () => {
    expect(dispositionOf('inline', 'über (1).wav')).toBe(
      `inline; filename="_ber (1).wav"; filename*=UTF-8''%C3%BCber%20%281%29.wav`,
    );
    expect(dispositionOf('inline', '\ud800.wav')).toContain('UTF-8');
  });
});

describe('the peaks of a waveform', () => {
  it('show the loudest of each column between 0 and 1', () => {
    expect(resample([0, 127, 10, 20], 2, 127)).toEqual([1, 0.157]);
  });
  it('are not invented where there are fewer than columns', () => {
    expect(resample([127], 100, 127)).toEqual([1]);
    expect(resample([], 100, 127)).toEqual([]);
  });
  it('cover the whole recording', () => {
    expect(resample([0, 0, 0, 0, 0, 0, 127], 3, 127)).toEqual([0, 0, 1]);
  });
});
