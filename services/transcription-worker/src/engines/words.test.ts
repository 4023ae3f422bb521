import { describe, expect, it } from '@jest/globals';
import { retryAfterMs } from '../ports/retrying-fetch.adapter.ts';
import { parseSphinxLine } from './pocketsphinx.ts';
import { interpolateWords, joinParts, mapLimit, splitWords, spreadWords, tidyWords } from './words.ts';

describe('parts of a word without a space between them', () => {
  const word = (text: string, start: number) => ({ word: text, start, end: start + 1, confidence: 0.9 });

  it.each([
    [' ill', '-disposed'],
    [' l', "'on"],
    [' 3', '.5'],
    [' 20', '%'],
    [' AT', '&T'],
    [' i', 'Phone'],
    [' 1', '50'],
  ])('are one word with the part before: %s%s', (first, second) => {
    const joined = joinParts([word(' an', 0), word(first, 1), word(second, 2), word(' end', 3)]);
    expect(joined).toEqual([word(' an', 0), { ...word(first + second, 1), end: 3 }, word(' end', 3)]);
  });

  it('are words of another script within a text without spaces', () => {
    const parts = ['我', '买', 'i', 'Phone', '1', '5', '手', '机'].map((text, i) => word(text, i));
    expect(joinParts(parts).map((part) => part.word)).toEqual(['我', '买', 'iPhone15', '手', '机']);
  });

  it('are neither dashes between words, nor a first word, nor words of a language without spaces', () => {
    const apart = [word('-no', 0), word(' yes', 1), word(' -', 2), word('-', 3), word(' -maybe', 4), word('你', 5)];
    expect(joinParts(apart)).toEqual(apart);
  });
});

describe('tidy words', () => {
  it('stay in order and inside the recording', () => {
    const tidy = tidyWords(
      [
        { word: 'b', start: 2, end: 1, confidence: 1.2 },
        { word: 'a', start: -1, end: 0.5, confidence: -1 },
        { word: ' ', start: 1, end: 2, confidence: null },
        { word: 'c', start: 9.9, end: 12, confidence: null },
        { word: 'invented', start: 30, end: 31, confidence: null },
        { word: 'n', start: Number.NaN, end: 1, confidence: null },
      ],
      10,
    );
    expect(tidy).toEqual([
      { word: 'a', start: 0, end: 0.5, confidence: 0 },
      { word: 'b', start: 2, end: 2, confidence: 1 },
      { word: 'c', start: 9.9, end: 10, confidence: null },
    ]);
  });

  it('are distributed over a span by their length', () => {
    expect(interpolateWords(' a bbb ', 10, 16, 0.5).map((word) => [word.word, word.start, word.end])).toEqual([
      ['a', 10, 12],
      ['bbb', 12, 16],
    ]);
  });

  it.each([
    ['so it is', ['so', 'it', 'is']],
    ['今天，很好。', ['今', '天，', '很', '好。']],
    ['彼は「はい」と言った', ['彼', 'は', '「は', 'い」', 'と', '言', 'っ', 'た']],
    ['买 iPhone15手机', ['买', 'iPhone15', '手', '机']],
    ['ที่นี่ ok', ['ที่', 'นี่', 'ok']],
    ['', []],
  ])('of %p are %j', (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  it('are distributed over the parts with speech, none into the pause between them', () => {
    const parts = [
      { start: 1, end: 3 },
      { start: 8, end: 12 },
    ];
    expect(spreadWords('a b c', parts, null).map((word) => [word.word, word.start, word.end])).toEqual([
      ['a', 1, 3],
      ['b', 8, 10],
      ['c', 10, 12],
    ]);
    expect(spreadWords('late words', parts, null)[0]).toMatchObject({ start: 1, end: 3 });
    expect(spreadWords('', parts, null)).toEqual([]);
  });
});

describe('lines of PocketSphinx', () => {
  it("are words without their variant, shifted to the piece's offset", () => {
    expect(parseSphinxLine('to(2) 3.840 3.960 1.000200', 60)).toEqual({
      end: 63.96,
      word: { word: 'to', start: 63.84, end: 63.96, confidence: 1 },
    });
  });

  it.each(['<s>', '</s>', '<sil>', '[NOISE]', '[SPEECH]', '++BREATH++'])('have no word for %s', (filler) => {
    expect(parseSphinxLine(`${filler} 1.000 2.000 0.9`, 0)).toEqual({ end: 2, word: undefined });
  });

  it('are ignored when they are plain text', () => {
    expect(parseSphinxLine('the deadline is in march', 0)).toBeUndefined();
  });

  it.each([
    ['i', 'I'],
    ["i'm", "I'm"],
    ['in', 'in'],
  ])('spell %s as %s', (spelled, written) => {
    expect(parseSphinxLine(`${spelled} 0.1 0.2 0.5`, 0)?.word?.word).toBe(written);
  });
});

describe('limited concurrency', () => {
  it('keeps the order of the results', async () => {
    const out = await mapLimit([3, 1, 2], { limit: 2, signal: undefined }, async (value) => {
      await new Promise((resolve) => setTimeout(resolve, value * 5));
      return value * 10;
    });
    expect(out).toEqual([30, 10, 20]);
  });

  it('cancels the others when one fails, and waits for their end', async () => {
    let stopped = 0;
    const work = mapLimit([0, 1, 2, 3], { limit: 2, signal: undefined }, async (value, _, signal) => {
      if (value === 0) throw new Error('broken');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      stopped += 1;
    });
    await expect(work).rejects.toThrow('broken');
    expect(stopped).toBe(1);
  });
});

describe('responses of remote services', () => {
  it('parses Retry-After as seconds and as a date', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(retryAfterMs('3', now)).toBe(3000);
    expect(retryAfterMs('Thu, 01 Jan 2026 00:00:10 GMT', now)).toBe(10_000);
    expect(retryAfterMs('tomorrow', now)).toBeUndefined();
    expect(retryAfterMs(null, now)).toBeUndefined();
    expect(retryAfterMs('99999', now)).toBe(120_000);
  });
});
