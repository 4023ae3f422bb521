import { describe, expect, it } from '@jest/globals';
import { assignSpeakers } from './speakers.ts';

function spoken(start: number, end: number, speaker: string | null) {
  return { start, end, speaker };
}

describe('the speakers of an import', () => {
  const replaced = [spoken(0, 4, 'Ada'), spoken(4, 6, 'Bob'), spoken(0, 100, null)];

  it('are those of the file when it names any', () => {
    const named = [spoken(0, 4, null), spoken(4, 5, 'Eve')];
    expect(assignSpeakers(named, replaced)).toEqual(named);
  });

  it('are kept by time when it names none', () => {
    const unnamed = [spoken(0, 3, null), spoken(3, 6, null), spoken(8, 9, null)];
    expect(assignSpeakers(unnamed, replaced).map(({ speaker }) => speaker)).toEqual(['Ada', 'Bob', null]);
  });

  it('are found for thousands of segments', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => spoken(i, i + 1, i % 2 ? 'Ada' : 'Bob'));
    const result = assignSpeakers(
      many.map(({ start, end }) => spoken(start, end, null)),
      many,
    );
    expect(result).toEqual(many);
  });
});
