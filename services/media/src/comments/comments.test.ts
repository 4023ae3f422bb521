import { describe, expect, it } from '@jest/globals';
import { maskSegment } from '../redaction/redaction.ts';
import { phraseFinder, quoteOf } from './comments.ts';

function passage(start: number, text: string) {
  const words = text.split(' ').map((word, i) => ({ word, start: start + i, end: start + i + 1, confidence: null }));
  return {
    start_time: start,
    end_time: start + words.length,
    text,
    words,
    speaker: null,
    redactions: [],
    withheld: false,
  };
}

describe('a quote', () => {
  const passages = [passage(0, 'Good morning, Ada Lovelace.'), passage(10, 'Let us begin.')];
  const quote = (startMs: number, endMs: number) => quoteOf(passages, { startMs, endMs });

  it.each([
    [0, 2000, 'Good morning,'],
    [1000, 2000, 'morning,'],
    [2000, 11_000, 'Ada Lovelace. Let'],
    [0, 20_000, 'Good morning, Ada Lovelace. Let us begin.'],
  ])('of %i to %i ms is the text of these times', (start, end, text) => {
    expect(quote(start, end)).toBe(text);
  });

  it('does not exist at a moment and where there are no words', () => {
    expect(quote(1000, 1000)).toBeNull();
    expect(quote(5000, 9000)).toBeNull();
  });

  it.each([
    [0, 3000, 'Good morning, [name]'],
    [2000, 3000, '[name]'],
    [3000, 4000, '[name]'],
  ])('of %i to %i ms has a placeholder where something is masked', (startMs, endMs, text) => {
    const found = [{ uuid: 'x', kind: 'name' as const, start: 14, end: 26 }];
    const mask = { kinds: new Set(['name' as const]), withholdsUnscanned: true };
    const masked = maskSegment(passage(0, 'Good morning, Ada Lovelace.'), { found, scanned: true }, mask);
    expect(quoteOf([masked], { startMs, endMs })?.replace(/\.$/, '')).toBe(text);
    const withheld = maskSegment(passage(0, 'Good morning, Ada Lovelace.'), { found: [], scanned: false }, mask);
    expect(quoteOf([withheld], { startMs, endMs })).toBe('[withheld]');
  });

  it('of a long part is shortened', () => {
    const long = quoteOf([passage(0, 'word '.repeat(1000).trim())], { startMs: 0, endMs: 3_600_000 });
    expect(long).toMatch(/word…$/);
    expect(long?.length).toBeLessThanOrEqual(501);
  });
});

describe('what is masked in the transcript', () => {
  const find = phraseFinder([
    { kind: 'secret', text: 'porcupine umbrella' },
    { kind: 'secret', text: 'porcupine umbrella stand' },
    { kind: 'name', text: 'May' },
    { kind: 'name', text: 'Ludwig van Beethoven' },
    { kind: 'phone', text: '+49 30 555 2671' },
    { kind: 'secret', text: 'one of us' },
    { kind: 'name', text: '王小明' },
    { kind: 'phone', text: '4 1 5 5 5 5 2 6 7 1' },
  ]);
  it.each([
    ['Is it Porcupine,  umbrella?', ['Porcupine,  umbrella']],
    ['the porcupine umbrella stand', ['porcupine umbrella stand']],
    ['May said: may I?', ['May']],
    ['a porcupine', ['porcupine']],
    ['Stand by the umbrella stand', ['Stand', 'umbrella stand']],
    ['he means van Beethoven, or Ludwig', ['van Beethoven', 'Ludwig']],
    ['a van of ludwig', []],
    ['it ends with 2671, with 55 and 30 before', ['2671']],
    ['call 30 555', ['30 555']],
    ['one of them, one of us, of us', ['one of us']],
    ['王小明', ['王小明']],
    ['4-1-5-5-5-5-2-6-7-1', ['4-1-5-5-5-5-2-6-7-1']],
  ])('is found in the comment %j', (text, expected) => {
    expect(find(text).map(({ start, end }) => text.slice(start, end))).toEqual(expected);
  });
  it('is found in linear time', () => {
    const same = Array.from({ length: 3000 }, (_, i) => ({
      kind: 'phone' as const,
      text: `1 ${'1 '.repeat(i % 40)}2`,
    }));
    const before = process.cpuUsage();
    phraseFinder(same)('1 '.repeat(1000));
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});
