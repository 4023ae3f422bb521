import { describe, expect, it } from '@jest/globals';
import { chunkResult, wordsOfChunk } from './tokens.ts';

const chunk = { start: 100, end: 110 };

function words(result: Record<string, unknown>): ReturnType<typeof wordsOfChunk> {
  return wordsOfChunk(chunkResult.parse(result), chunk);
}

describe('tokens to words', () => {
  it('starts a word at a leading space and joins the following tokens', () => {
    const { words: found, timing } = words({
      text: 'The deadline, friends.',
      tokens: [' The', ' dead', 'line', ',', ' fri', 'ends', '.'],
      timestamps: [0.5, 0.8, 1.0, 1.2, 2.0, 2.2, 2.6],
      durations: [0.2, 0.2, 0.2, 0.1, 0.2, 0.3, 0.1],
      ys_log_probs: [-0.1, -0.2, -0.2, -3, 0, 0, -3],
    });
    expect(timing).toBe('engine');
    expect(found.map((word) => word.word)).toEqual(['The', 'deadline,', 'friends.']);
    expect(found[1]).toMatchObject({ start: 100.8, end: 101.2 });
    expect(found[1]?.confidence).toBeCloseTo(Math.exp(-0.2), 5);
  });

  it('ends a word at the next token without durations, but not across a pause', () => {
    const { words: found } = words({ text: 'a b', tokens: ['▁a', '▁b'], timestamps: [1, 5] });
    expect(found[0]).toMatchObject({ word: 'a', start: 101, end: 101.4, confidence: null });
    expect(found[1]).toMatchObject({ word: 'b', start: 105, end: 105.4 });
  });

  it('lowers the case of models that only know capitals', () => {
    const { words: found } = words({
      text: ' GOOD MORNING',
      tokens: [' GOOD', ' MOR', 'NING'],
      timestamps: [0, 1, 1.2],
    });
    expect(found.map((word) => word.word)).toEqual(['good', 'morning']);
  });

  it('creates a word for every ideograph', () => {
    const { words: found } = words({ text: '你好', tokens: ['你', '好'], timestamps: [0, 0.3] });
    expect(found.map((word) => word.word)).toEqual(['你', '好']);
  });

  it('drops special tokens', () => {
    const { words: found } = words({ text: 'yes', tokens: ['<unk>', ' yes', '<|en|>'], timestamps: [0, 1, 2] });
    expect(found.map((word) => word.word)).toEqual(['yes']);
  });

  it('distributes the words of whisper segments by length, with estimated times', () => {
    const { words: found, timing } = words({
      text: 'one three',
      tokens: ['one', ' three'],
      segment_texts: [' one three', ' two'],
      segment_timestamps: [0, 6],
      segment_durations: [5, 1],
    });
    expect(timing).toBe('estimated');
    expect(found.map((word) => [word.word, word.start, word.end])).toEqual([
      ['one', 100, 102],
      ['three', 102, 105],
      ['two', 106, 107],
    ]);
  });

  it('lets a segment without a duration last until the next one, and the last one until the end of the chunk', () => {
    const { words: found } = words({
      segment_texts: [' one', ' two'],
      segment_timestamps: [0, 4],
      segment_durations: [0, 0],
    });
    expect(found.map(({ start, end }) => [start, end])).toEqual([
      [100, 104],
      [104, 110],
    ]);
  });

  it('drops segments in the silence after the chunk', () => {
    const { words: found } = words({
      segment_texts: [' one', ' you'],
      segment_timestamps: [0, 12],
      segment_durations: [2, 1],
    });
    expect(found.map(({ word }) => word)).toEqual(['one']);
  });

  it('drops a sentence that is repeated at the end, and keeps one that is spoken twice', () => {
    const said = (...texts: string[]) =>
      words({
        segment_texts: texts,
        segment_timestamps: texts.map((_, i) => i),
        segment_durations: texts.map(() => 1),
      }).words.map(({ word }) => word);
    expect(said(' no', ' yes', ' yes', ' yes')).toEqual(['no', 'yes']);
    expect(said(' no', ' yes', ' yes')).toEqual(['no', 'yes', 'yes']);
  });

  it('distributes plain text over the chunk', () => {
    const { words: found, timing } = words({ text: 'aa bb' });
    expect(timing).toBe('estimated');
    expect(found.at(-1)).toMatchObject({ word: 'bb', start: 105, end: 110 });
  });

  it('keeps times inside the chunk', () => {
    const { words: found } = words({ text: 'late', tokens: [' late'], timestamps: [9.9], durations: [3] });
    expect(found[0]?.end).toBe(110);
  });
});
