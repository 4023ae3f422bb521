import { describe, expect, it } from '@jest/globals';
import { realign } from './realign.ts';

function word(text: string, start: number, end: number) {
  return { word: text, start, end, confidence: 0.9 };
}

const spoken = [word('we', 1, 1.2), word('meat', 1.2, 1.6), word('on', 1.6, 1.8), word('monday', 1.8, 2.4)];
const segment = { start: 1, end: 2.5 };

describe('the words of an edited text', () => {
  it('keep their times when case or punctuation changes, and their confidence only when they are unchanged', () => {
    const words = realign(spoken, 'We meat, on Monday.', segment);
    expect(words.map(({ start, end }) => [start, end])).toEqual(spoken.map(({ start, end }) => [start, end]));
    expect(words.map((word) => word.word)).toEqual(['We', 'meat,', 'on', 'Monday.']);
    expect(words.map((word) => word.confidence)).toEqual([null, null, 0.9, null]);
  });

  it('take the time of the word they replace, without its confidence', () => {
    expect(realign(spoken, 'we meet on monday', segment)[1]).toEqual({
      word: 'meet',
      start: 1.2,
      end: 1.6,
      confidence: null,
    });
  });

  it('share the time of the words they replace in proportion to their length, marked as estimated', () => {
    const words = realign(spoken, 'we are to meet on monday', segment);
    expect(words.slice(1, 4)).toEqual([
      { word: 'are', start: 1.2, end: 1.333, confidence: null, interpolated: true },
      { word: 'to', start: 1.333, end: 1.422, confidence: null, interpolated: true },
      { word: 'meet', start: 1.422, end: 1.6, confidence: null, interpolated: true },
    ]);
  });

  it('are removed when they are deleted', () => {
    expect(realign(spoken, 'we meat', segment)).toEqual(spoken.slice(0, 2));
    expect(realign(spoken, '  ', segment)).toEqual([]);
  });

  it('stay inside the segment in ascending order for any text', () => {
    for (const text of [
      'completely different words here and many more of them',
      'monday on meat we',
      'x',
      'so we we we',
    ]) {
      const words = realign(spoken, text, segment);
      expect(words.map((word) => word.word).join(' ')).toBe(text);
      let last = segment.start;
      for (const { start, end } of words) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThanOrEqual(start);
        last = start;
      }
      expect(words.at(-1)?.end).toBeLessThanOrEqual(segment.end);
    }
  });

  it('get times in a segment that had none', () => {
    expect(realign([], 'ab cd', { start: 0, end: 1 })).toEqual([
      { word: 'ab', start: 0, end: 0.5, confidence: null, interpolated: true },
      { word: 'cd', start: 0.5, end: 1, confidence: null, interpolated: true },
    ]);
  });

  it('stay between the adjacent ones where passages that overlap in time were joined', () => {
    const overlapping = [word('one', 1, 1.8), word('late', 8, 8.9), word('two', 2, 2.5)];
    const [, first, second, last] = realign(overlapping, 'one new words two', { start: 1, end: 9 });
    expect([first?.start, second?.end]).toEqual([2, 2]);
    expect([last?.start, last?.end]).toEqual([2, 2.5]);
  });
});
