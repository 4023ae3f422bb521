import { describe, expect, it } from '@jest/globals';
import type { SegmentObject } from '@overtone/contracts';
import { isTurnStart, findMatches, normalize, positionAt, tokensOf } from './transcript.ts';

function segment(
  text: string,
  start: number,
  words: readonly (readonly [string, number, number])[],
  more: Partial<SegmentObject> = {},
): SegmentObject {
  return {
    uuid: `${start}`,
    start_time: start,
    end_time: words.at(-1)?.[2] ?? start + 1,
    text,
    speaker: null,
    confidence: null,
    edited: false,
    edited_at: null,
    edited_by: null,
    edited_by_name: null,
    version: 1,
    words: words.map(([word, from, to]) => ({ word, start: from, end: to, confidence: 0.9 })),
    redactions: [],
    withheld: false,
    ...more,
  };
}

const first = segment('Good morning, Ada.', 1, [
  ['Good', 1, 1.3],
  ['morning,', 1.3, 2],
  ['Ada.', 2, 2.4],
]);
const second = segment('The plan is good', 5, [
  ['The', 5, 5.2],
  ['plan', 5.2, 5.6],
  ['is', 5.6, 5.7],
  ['good', 5.7, 6],
]);
const loaded = [first, second].map((segment, index) => ({ index, segment }));

describe('tokensOf', () => {
  it('returns the words of the text with the times of the engine', () =>
    expect(tokensOf(first).map(({ text, start }) => [text, start])).toEqual([
      ['Good', 1],
      ['morning,', 1.3],
      ['Ada.', 2],
    ]));
  it('keeps the mark of overlapping speech on words that an edit did not change', () => {
    const words = first.words.map((word, i) => (i === 1 ? { ...word, overlap: true } : word));
    const marked = (text: string) =>
      tokensOf({ ...first, text, words })
        .filter(({ overlap }) => overlap)
        .map((token) => token.text);
    expect(marked('Good morning, Ada.')).toEqual(['morning,']);
    expect(marked('Good early morning, Ada.')).toEqual(['morning,']);
    expect(marked('Good evening to you, Ada.')).toEqual([]);
  });
  it('keeps the times of words that an edit did not change', () => {
    const edited = segment('Good early morning, Ada.', 1, [
      ['Good', 1, 1.3],
      ['morning,', 1.5, 2],
      ['Ada.', 2, 2.4],
    ]);
    const tokens = tokensOf(edited);
    expect(tokens.map(({ text }) => text)).toEqual(['Good', 'early', 'morning,', 'Ada.']);
    expect(tokens[2]?.start).toBe(1.5);
    expect(tokens[1]?.start).toBeCloseTo(1.3);
  });
  it('spreads times evenly where the engine reported no words', () => {
    const tokens = tokensOf(segment('one two', 10, [], { end_time: 12 }));
    expect(tokens.map(({ start, end }) => [start, end])).toEqual([
      [10, 11],
      [11, 12],
    ]);
  });
  it('never returns a token that ends before it starts', () => {
    const tokens = tokensOf(
      segment(
        'a b c d e',
        0,
        [
          ['b', 2, 3],
          ['d', 1, 1.5],
        ],
        { end_time: 4 },
      ),
    );
    for (const token of tokens) expect(token.end).toBeGreaterThanOrEqual(token.start);
  });
});

describe('positionAt', () => {
  it('is null before the first word', () => expect(positionAt(loaded, 0.5)).toBeNull());
  it('returns segment and word', () => expect(positionAt(loaded, 5.65)).toEqual({ index: 1, word: 2 }));
  it('stays on the last word in a pause', () => expect(positionAt(loaded, 4)).toEqual({ index: 0, word: 2 }));
  it('works with pages that are not loaded', () =>
    expect(
      positionAt(
        [
          { index: 0, segment: first },
          { index: 900, segment: second },
        ],
        5.1,
      ),
    ).toEqual({ index: 900, word: 0 }));
});

describe('findMatches', () => {
  it('ignores case, accents and punctuation', () =>
    expect(findMatches(loaded, 'MÓRNING ada')).toEqual([{ index: 0, first: 1, last: 2 }]));
  it('finds a word by its prefix', () => expect(findMatches(loaded, 'pl')).toEqual([{ index: 1, first: 1, last: 1 }]));
  it('finds all occurrences', () => expect(findMatches(loaded, 'good').map(({ index }) => index)).toEqual([0, 1]));
  it('requires consecutive words', () => expect(findMatches(loaded, 'good ada')).toEqual([]));
  it('finds nothing for punctuation alone', () => expect(findMatches(loaded, ' ?! ')).toEqual([]));
});

it('normalizes words to what is spoken', () =>
  expect([normalize('Café,'), normalize('“don’t')]).toEqual(['cafe', 'dont']));

it('starts a turn where the speaker changes', () => {
  const by = (uuid: string) => ({ ...second, speaker: { uuid, name: uuid, display_name: null } });
  const list = [by('a'), by('a'), by('b'), undefined, by('b')];
  expect(list.map((_, i) => isTurnStart(list, i))).toEqual([true, false, true, true, true]);
});
