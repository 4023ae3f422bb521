import { describe, expect, it } from '@jest/globals';
import { allowedErrors, editDistance, nearWords, vocabularyOf } from './vocabulary.ts';

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
    expect(nearWords('agreemnet', ['agreements', 'disagreement', 'agreement', 'money'])).toEqual([
      { word: 'agreement', distance: 1 },
      { word: 'agreements', distance: 2 },
    ]);
    expect(nearWords('nudget', ['budget'])).toEqual([{ word: 'budget', distance: 1 }]);
    expect(nearWords('xgreemnet', ['agreement'])).toEqual([]);
    expect(nearWords('budget', ['budget'])).toEqual([]);
  });
});
