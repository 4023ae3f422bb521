import { describe, expect, it } from '@jest/globals';
import { isStopWord, splitWords, stemOf, termsOf, variantsOf } from './tokenize.ts';

describe('tokenize', () => {
  it('returns the position of each word', () => {
    expect(splitWords('Well, the dead-line!')).toEqual([
      { text: 'Well', at: 0, end: 4 },
      { text: 'the', at: 6, end: 9 },
      { text: 'dead', at: 10, end: 14 },
      { text: 'line', at: 15, end: 19 },
    ]);
  });

  it('returns one stem for the inflections of a word', () => {
    expect(new Set(['meeting', 'Meetings', 'MEET'].map((word) => stemOf(word, 'en'))).size).toBe(1);
    expect(stemOf('deadlines', null)).toBe(stemOf('deadline', null));
  });

  it('stems in the language of the document', () => {
    expect(stemOf('Häusern', 'de')).toBe(stemOf('Haus', 'de'));
    expect(stemOf('Häusern', 'en')).not.toBe(stemOf('Haus', 'en'));
  });

  it('stems every language that has a stemmer', () => {
    const inflections: [language: string, words: [string, string]][] = [
      ['tr', ['kitaplardan', 'kitaplar']],
      ['hu', ['házakban', 'házak']],
      ['ro', ['copiilor', 'copii']],
      ['uk', ['книги', 'книга']],
      ['bg', ['книгите', 'книга']],
      ['sr', ['knjigama', 'knjiga']],
      ['lt', ['knygomis', 'knyga']],
      ['id', ['membaca', 'baca']],
      ['nb', ['husene', 'husets']],
      ['ne', ['किताबहरू', 'किताब']],
    ];
    for (const [language, [inflected, other]] of inflections)
      expect([language, stemOf(inflected, language)]).toEqual([language, stemOf(other, language)]);
  });

  it('keeps the vowel signs of Indic scripts', () => {
    expect(stemOf('कल', 'hi')).not.toBe(stemOf('काला', 'hi'));
  });

  it('ignores accents and the kind of apostrophe', () => {
    expect(stemOf('café', 'en')).toBe(stemOf('cafe', 'en'));
    expect(stemOf("don't", 'en')).toBe(stemOf('don’t', 'en'));
    expect(stemOf("Alice's", 'en')).toBe(stemOf('alice', 'en'));
  });

  it('segments scripts without spaces', () => {
    const words = splitWords('我们明天开会');
    expect(words.length).toBeGreaterThan(1);
    expect(words.map((word) => word.text).join('')).toBe('我们明天开会');
  });

  it('returns terms without query syntax for any text', () => {
    expect(termsOf('a" OR (b:c)* ~2 \\ \' -- ; drop', 'xx')).toMatch(/^[\p{L}\p{N} ]*$/u);
  });

  it('returns the stems of a word in every language of the library', () => {
    expect(variantsOf('Häusern', ['de'])).toEqual([stemOf('Häusern', 'de'), stemOf('Häusern', 'en')]);
    expect(variantsOf('march', ['de', null])).toEqual(['march']);
  });

  it('keeps the first letter of a word in its stem', () => {
    for (const word of ['dying', 'skies', 'only', 'Yesterday', 'generous', 'eyes', 'iodine'])
      for (const language of ['en', 'de', 'fr', 'es']) expect(stemOf(word, language)[0]).toBe(word[0]?.toLowerCase());
  });

  it('truncates overlong words', () => {
    expect(stemOf('x'.repeat(5_000), 'en').length).toBeLessThanOrEqual(40);
  });

  it('recognizes stop words', () => {
    expect(isStopWord('The')).toBe(true);
    expect(isStopWord('deadline')).toBe(false);
  });
});
