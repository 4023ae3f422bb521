import { describe, expect, it } from '@jest/globals';
import { knownLanguage, languageCode, servedLanguages } from './languages.ts';

describe('the code of a language', () => {
  it.each([
    ['en', 'en'],
    ['en-US', 'en'],
    ['English', 'en'],
    ['german', 'de'],
    ['catalan', 'ca'],
    ['persian', 'fa'],
    ['cantonese', 'yue'],
    ['norwegian', 'no'],
    ['haitian creole', 'ht'],
    ['mandarin', 'zh'],
    ['castilian', 'es'],
    ['klingon', null],
    ['', null],
    [null, null],
  ])('for %p is %p', (given, code) => {
    expect(languageCode(given)).toBe(code);
  });
});

describe('a language of a recording', () => {
  const known = ['en', 'no', 'tl', 'zh', 'he'];

  it.each([
    ['nb', 'no'],
    ['nn', 'no'],
    ['fil', 'tl'],
    ['iw', 'he'],
    ['yue', 'zh'],
    ['zh-TW', 'zh'],
    ['en', 'en'],
    ['de', undefined],
  ])('%s is recognised as %p', (wanted, code) => {
    expect(knownLanguage(wanted, known)).toBe(code);
  });

  it('is passed on to an engine that names no languages', () => {
    expect(knownLanguage('de-CH', [])).toBe('de');
  });

  it('is accepted by another code of the same language', () => {
    expect(servedLanguages(['no', 'tl'])).toEqual(['no', 'tl', 'nb', 'nn', 'fil']);
    expect(servedLanguages([])).toEqual([]);
  });
});
