import { describe, expect, it } from '@jest/globals';
import { passagesOf, rank, type Segment } from './evidence.ts';

const file = { fileId: 'f', ownerId: 'o', title: 'Planning' };
function segment(start: number, speaker: string | null, text: string): Segment {
  return {
    start,
    end: start + 4,
    speaker,
    text,
  };
}

describe('the passages of a recording', () => {
  it('are the turns inside the parts that search found, from the first second of each turn', () => {
    const segments = [
      segment(0, 'Anna', 'Hello.'),
      segment(5, 'Ben', 'We move'),
      segment(10, 'Ben', 'to Lisbon.'),
      segment(15, 'Anna', 'Good.'),
      segment(20, 'Ben', 'Bye.'),
    ];
    const passages = passagesOf(file, segments, [{ start: 5, end: 19, score: 0.5 }]);
    expect(passages.map(({ start, end, speaker, text }) => [start, end, speaker, text])).toEqual([
      [5, 14, 'Ben', 'We move to Lisbon.'],
      [15, 19, 'Anna', 'Good.'],
    ]);
  });

  it('contain each segment once where parts overlap, with the better score', () => {
    const segments = [segment(0, null, 'one'), segment(5, null, 'two'), segment(10, null, 'three')];
    const parts = [
      { start: 0, end: 10, score: 0.2 },
      { start: 4, end: 15, score: 0.9 },
    ];
    const passages = passagesOf(file, segments, parts);
    expect(passages.map(({ text, score }) => [text, score])).toEqual([['one two three', 0.9]]);
  });

  it('split a long turn', () => {
    const segments = Array.from({ length: 20 }, (_, i) =>
      segment(i * 5, 'Anna', 'ten words are in this segment of a long turn'),
    );
    const passages = passagesOf(file, segments, [{ start: 0, end: 200, score: 1 }]);
    expect(passages.length).toBeGreaterThan(1);
    expect(passages.map(({ text }) => text).join(' ')).toBe(segments.map(({ text }) => text).join(' '));
  });

  it('are ranked across recordings', () => {
    const better = passagesOf(file, [segment(0, null, 'better')], [{ start: 0, end: 9, score: 0.9 }]);
    const worse = passagesOf(file, [segment(0, null, 'worse')], [{ start: 0, end: 9, score: 0.1 }]);
    expect(rank([...worse, ...better]).map(({ text }) => text)).toEqual(['better', 'worse']);
  });
});
