import { describe, expect, it } from '@jest/globals';
import { parseRange, dispositionOf, matchesEtag, rangeApplies, resample } from './streaming.ts';

describe('a Range header', () => {
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-', 0, 9],
    ['bytes=3-5', 3, 5],
    ['bytes=3-500', 3, 9],
    ['bytes=-4', 6, 9],
    ['bytes=-400', 0, 9],
  ])('%s of ten bytes selects bytes %d to %d', (header, start, end) => {
    expect(parseRange(header, 10)).toEqual({ kind: 'range', range: { start, end } });
  });
  it.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])('is unsatisfiable for %s', (header) => {
    expect(parseRange(header, 10)).toEqual({ kind: 'unsatisfiable' });
  });
  it.each([undefined, '', 'items=0-1', 'bytes=5-2', 'bytes=-', 'bytes=a-b', 'bytes=0-1,3-4'])(
    '%s is ignored',
    (header) => {
      expect(parseRange(header, 10)).toEqual({ kind: 'whole' });
    },
  );
});

describe('conditional requests', () => {
  it('ignore a range of another version', () => {
    expect([rangeApplies(undefined, '"a"'), rangeApplies('"a"', '"a"'), rangeApplies('"b"', '"a"')]).toEqual([
      true,
      true,
      false,
    ]);
  });
  it('match the version that a client has', () => {
    const known = ['"a"', 'W/"a"', '"x", "a"', '*', '"b"', undefined].map((header) => matchesEtag(header, '"a"'));
    expect(known).toEqual([true, true, true, true, false, false]);
  });
});

describe('a file name in a header', () => {
  it('is escaped', () => {
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
  it('show the maximum of each column between 0 and 1', () => {
    expect(resample([0, 127, 10, 20], 2, 127)).toEqual([1, 0.157]);
  });
  it('are returned unchanged when there are fewer than columns', () => {
    expect(resample([127], 100, 127)).toEqual([1]);
    expect(resample([], 100, 127)).toEqual([]);
  });
  it('cover the whole recording', () => {
    expect(resample([0, 0, 0, 0, 0, 0, 127], 3, 127)).toEqual([0, 0, 1]);
  });
});
