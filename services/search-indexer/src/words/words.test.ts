import { describe, expect, it } from '@jest/globals';
import { isStopWord, splitWords, stemOf, termsOf, variantsOf } from './words.ts';

describe('words', () => {
  it('tells where each word stands in the text', () => {
    expect(splitWords('Well, the dead-line!')).toEqual([
      { text: 'Well', at: 0, end: 4 },
      { text: 'the', at: 6, end: 9 },
      { text: 'dead', at: 10, end: 14 },
      { text: 'line', at: 15, end: 19 },
    ]);
  });

  it('finds one stem for the inflections of a word', () => {
    expect(new Set(['meeting', 'Meetings', 'MEET'].map((w) => stemOf(w, 'en'))).size).toBe(1);
    expect(stemOf('deadlines', null)).toBe(stemOf('deadline', null));
  });

  it('stems in the language of the document', () => {
    expect(stemOf('Häusern', 'de')).toBe(stemOf('Haus', 'de'));
    expect(stemOf('Häusern', 'en')).not.toBe(stemOf('Haus', 'en'));
  });

  it('finds words with and without accents, and with either apostrophe', () => {
    expect(stemOf('café', 'en')).toBe(stemOf('cafe', 'en'));
    expect(stemOf("don't", 'en')).toBe(stemOf('don’t', 'en'));
    expect(stemOf("Alice's", 'en')).toBe(stemOf('alice', 'en'));
  });

  it('divides scripts that know no blanks', () => {
    const words = splitWords('我们明天开会');
    expect(words.length).toBeGreaterThan(1);
    expect(words.map((w) => w.text).join('')).toBe('我们明天开会');
  });

  it('yields terms that hold no query syntax whatever the text holds', () => {
    expect(termsOf('a" OR (b:c)* ~2 \\ \' -- ; drop', 'xx')).toMatch(/^[\p{L}\p{N} ]*$/u);
  });

  it('looks a word up under every language of the library', () => {
    expect(variantsOf('Häusern', ['de'])).toEqual([stemOf('Häusern', 'de'), stemOf('Häusern', 'en')]);
    expect(variantsOf('march', ['de', null])).toEqual(['march']);
  });

  it('keeps the first letter of a word in its stem', () => {
    for (const word of ['dying', 'skies', 'only', 'Yesterday', 'generous', 'eyes', 'iodine'])
      for (const language of ['en', 'de', 'fr', 'es']) expect(stemOf(word, language)[0]).toBe(word[0]?.toLowerCase());
  });

  it('cuts what is too long to be a word', () => {
    expect(stemOf('x'.repeat(5_000), 'en').length).toBeLessThanOrEqual(40);
  });

  it('knows the words that carry no meaning', () => {
    expect(isStopWord('The')).toBe(true);
    expect(isStopWord('deadline')).toBe(false);
  });
});
