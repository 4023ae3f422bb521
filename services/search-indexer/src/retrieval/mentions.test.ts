import { describe, expect, it } from '@jest/globals';
import { chunk } from '../chunking/chunking.ts';
import { batchesOf, findMentions, phraseOf, type Phrase } from './mentions.ts';

function phrase(text: string): Phrase {
  const found = phraseOf(text, ['en']);
  if (!found) throw new Error('no words');
  return found;
}

/** The passages of one turn with a word per second, as the index stores them. */
function shownOf(text: string) {
  const words = text.split(' ').map((word, i) => ({ word, start: i, end: i + 1 }));
  return chunk([{ start: 0, end: words.length, speaker: 'Ann', text, words }]).map((passage, i) => ({
    id: `10000000-0000-4000-8000-000000000000:${i}`,
    ...passage,
  }));
}

function count(text: string, searched: string): number {
  return findMentions(phrase(searched), shownOf(text), 'en').count;
}

describe('mentions', () => {
  it('count each occurrence, inflected forms included', () => {
    expect(count('The road map, two Road Maps and a map of the road', 'road map')).toBe(2);
  });

  it('do not overlap each other', () => {
    expect(count('no no no no no', 'no no')).toBe(2);
  });

  it('count once where passages overlap, also when a phrase crosses the boundary', () => {
    const text = Array.from({ length: 120 }, (_, i) => `Sentence number${i} has the road map in it.`).join(' ');
    expect(shownOf(text).length).toBeGreaterThan(3);
    expect(count(text, 'road map')).toBe(120);
    for (let i = 0; i < 120; i++) expect(count(text, `number${i} has the road`)).toBe(1);
  });

  it('count in every passage when passages between them do not contain the phrase', () => {
    const [first, , third] = shownOf(Array.from({ length: 80 }, () => 'the road map is here again.').join(' '));
    if (!first || !third) throw new Error('too few passages');
    const both = findMentions(phrase('road map'), [third, first], 'en').count;
    const singly = [first, third].map((shown) => findMentions(phrase('road map'), [shown], 'en').count);
    expect(both).toBe(singly.reduce((sum, one) => sum + one, 0));
  });

  it('begin where the first word of the first one is spoken, in whatever order the passages come', () => {
    const text = [...Array.from({ length: 700 }, (_, i) => `word${i}`), 'the road maps', 'and a road map'].join(' ');
    expect(findMentions(phrase('road map'), shownOf(text).toReversed(), 'en')).toEqual({ count: 2, start: 701 });
  });

  it('have no phrase without words', () => {
    expect(phraseOf('?! ...', ['en'])).toBeNull();
  });
});

describe('batches of files', () => {
  it('have at most the given number of passages, except for one longer file', () => {
    const files = [4, 4, 4, 20, 1, 9].map((passages) => ({ passages }));
    const sizes = batchesOf(files, 10).map((batch) => batch.map(({ passages }) => passages));
    expect(sizes).toEqual([[4, 4], [4], [20], [1, 9]]);
    expect(batchesOf([], 10)).toEqual([]);
  });
});
