import { describe, expect, it } from '@jest/globals';
import { allowedErrors, editDistance, nearWords, vocabularyOf, wordListOf } from './vocabulary.ts';

describe('vocabulary', () => {
  it('has each word once, without numbers, stop words and very short ones', () => {
    expect(vocabularyOf(['The Budget of 2026, the budget!', 'is 42 ok? Réunion', '会议'])).toEqual([
      'budget',
      'réunion',
      '会议',
    ]);
  });

  it('counts inserted, removed, replaced and transposed letters', () => {
    expect(editDistance('budget', 'budget', 2)).toBe(0);
    expect(editDistance('bugdet', 'budget', 2)).toBe(1);
    expect(editDistance('budgt', 'budget', 2)).toBe(1);
    expect(editDistance('buddget', 'budget', 2)).toBe(1);
    expect(editDistance('bidgat', 'budget', 2)).toBe(2);
    expect(editDistance('bidgit', 'budget', 1)).toBe(2);
    expect(editDistance('cat', 'elephants', 2)).toBe(3);
  });

  it('allows no error in short words and numbers, and two in long words', () => {
    expect(['cat', 'meal', 'a4711', 'money', 'budgets', 'agreement'].map(allowedErrors)).toEqual([0, 0, 0, 1, 1, 2]);
  });

  it('returns the nearest words first; two errors keep the first letter', () => {
    expect(nearWords('agreemnet', wordListOf(['agreements', 'disagreement', 'agreement', 'money']))).toEqual([
      { word: 'agreement', distance: 1 },
      { word: 'agreements', distance: 2 },
    ]);
    expect(nearWords('nudget', wordListOf(['budget']))).toEqual([{ word: 'budget', distance: 1 }]);
    expect(nearWords('xgreemnet', wordListOf(['agreement']))).toEqual([]);
    expect(nearWords('budget', wordListOf(['budget']))).toEqual([]);
  });

  it('gives the same distance within the limit as without one', () => {
    const words = ['budget', 'budgets', 'bugdet', 'badget', 'budget2', 'bget', 'deadline', 'ubdgte', 'bdgt', ''];
    for (const left of words)
      for (const right of words) {
        const distance = editDistance(left, right, 30);
        for (const max of [1, 2])
          expect([left, right, editDistance(left, right, max)]).toEqual([left, right, Math.min(distance, max + 1)]);
      }
  });

  it('finds every word with one error at its beginning, as the comparison of all words does', () => {
    const words = ['budget', 'udget', 'ubdget', 'nudget', 'abudget', 'bbudget', 'dudget', 'nudgets', 'ubget'];
    const near = nearWords('budget', wordListOf(words)).map(({ word, distance }) => [word, distance]);
    const compared = words
      .map((word) => [word, editDistance('budget', word, 1)])
      .filter(([, distance]) => distance === 1);
    expect(new Set(near.map(String))).toEqual(new Set(compared.map(String)));
  });

  it('compares a limited number of words, so that a library of similar words does not block searches', () => {
    const similar = Array.from({ length: 60_000 }, (_, i) => `aaaaa${i.toString(36).padStart(4, '0')}`);
    expect(nearWords('azzzzzzzx', wordListOf([...similar, 'azzzzzzzy']))).toEqual([]);
    expect(nearWords('azzzzzzzx', wordListOf([...similar.slice(0, 40_000), 'azzzzzzzy']))).toEqual([
      { word: 'azzzzzzzy', distance: 1 },
    ]);
  });
});
