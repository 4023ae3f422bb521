import { describe, expect, it } from '@jest/globals';
import { maxDifferences } from '@overtone/contracts';
import { compareTranscripts, type ShownPassage } from './differences.ts';

function passage(id: string, text: string, speaker: string | null = 'Ada'): ShownPassage {
  const start = Number(id);
  return { id, text, speaker, start, end: start + 1 };
}

const unchanged = passage('1', 'good morning everybody');

describe('a comparison of two versions', () => {
  it('is empty for two that are equal', async () => {
    expect(await compareTranscripts([unchanged], [{ ...unchanged }])).toEqual({
      differences: [],
      complete: true,
      words: 3,
      words_removed: 0,
      words_added: 0,
    });
  });

  it('marks the words that differ, and shows no passage that both have', async () => {
    const result = await compareTranscripts(
      [unchanged, passage('2', 'so we be gin now')],
      [unchanged, passage('2', 'so we begin now')],
    );
    expect(result).toMatchObject({ words: 8, words_removed: 2, words_added: 1 });
    const [difference, ...more] = result.differences;
    expect(more).toEqual([]);
    expect(difference?.before.map(({ pieces }) => pieces)).toEqual([
      [
        { text: 'so we', changed: false },
        { text: 'be gin', changed: true },
        { text: 'now', changed: false },
      ],
    ]);
    expect(difference?.after[0]?.pieces[1]).toEqual({ text: 'begin', changed: true });
  });

  it('shows a split beside the passage that it split, without a changed word', async () => {
    const before = [unchanged, passage('2', 'one two three'), passage('9', 'end')];
    const after = [unchanged, passage('2', 'one two'), passage('3', 'three', 'Bob'), passage('9', 'end')];
    const { differences, words_removed, words_added } = await compareTranscripts(before, after);
    expect([words_removed, words_added]).toEqual([0, 0]);
    expect(differences).toEqual([
      {
        before: [{ start_time: 2, end_time: 3, speaker: 'Ada', pieces: [{ text: 'one two three', changed: false }] }],
        after: [
          { start_time: 2, end_time: 3, speaker: 'Ada', pieces: [{ text: 'one two', changed: false }] },
          { start_time: 3, end_time: 4, speaker: 'Bob', pieces: [{ text: 'three', changed: false }] },
        ],
      },
    ]);
  });

  it('shows passages that only one of the versions has, at the start and at the end', async () => {
    const { differences } = await compareTranscripts([unchanged, passage('5', 'bye')], [passage('0', 'hi'), unchanged]);
    expect(differences.map(({ before, after }) => [before.length, after.length])).toEqual([
      [0, 1],
      [1, 0],
    ]);
  });

  it('returns the first differences of many, and counts the words of all', async () => {
    const many = Array.from({ length: 4 * maxDifferences }, (_, i) => passage(`${i}`, i % 2 === 0 ? 'same' : 'old'));
    const edited = many.map((one) => (one.text === 'old' ? { ...one, text: 'new' } : one));
    const result = await compareTranscripts(many, edited);
    expect(result.differences).toHaveLength(maxDifferences);
    expect(result).toMatchObject({ complete: false, words_removed: 2 * maxDifferences });
  });

  it('takes texts that have nothing in common as changed from beginning to end', async () => {
    const text = (word: string): string => Array.from({ length: 20_000 }, (_, i) => `${word}${i}`).join(' ');
    const { words_removed, words_added } = await compareTranscripts(
      [passage('1', text('a'))],
      [passage('1', text('b'))],
    );
    expect([words_removed, words_added]).toEqual([20_000, 20_000]);
  });
});
