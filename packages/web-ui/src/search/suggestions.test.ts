import { describe, expect, it } from '@jest/globals';
import { typedCollection, withSuggestion, type Suggestion } from './suggestions.ts';

function of(type: Suggestion['type'], text: string): Suggestion {
  return { type, text, file_uuid: null, count: 1 };
}

describe('a chosen suggestion', () => {
  it('replaces the text by completed words', () => {
    expect(withSuggestion('our bud', of('content', 'our budgets'))).toBe('our budgets');
  });
  it('becomes an operator, with quotes around a name with blanks', () => {
    expect(withSuggestion('ann', of('speaker', 'Ann'))).toBe('speaker:Ann ');
    expect(withSuggestion('boa', of('tag', 'Board room'))).toBe('tag:"Board room" ');
  });
  it('doubles the quotes of a name', () => {
    expect(withSuggestion('ann', of('speaker', 'Ann "Bo" Lee'))).toBe('speaker:"Ann ""Bo"" Lee" ');
    expect(withSuggestion('-tag:"the ""b', of('tag', 'the "big"'))).toBe('-tag:"the ""big""" ');
  });
  it('replaces only the unfinished operator at the end, and keeps its minus', () => {
    expect(withSuggestion('plan speaker:be', of('speaker', 'Bertha'))).toBe('plan speaker:Bertha ');
    expect(withSuggestion('plan -tag:"bo', of('tag', 'Board room'))).toBe('plan -tag:"Board room" ');
    expect(withSuggestion('plan in:', of('collection', 'Q1'))).toBe('plan in:Q1 ');
  });
});

describe('the collection that is being typed', () => {
  it('is known only behind an operator at the end', () => {
    expect(typedCollection('plan in:bo')).toBe('bo');
    expect(typedCollection('-in:"Board r')).toBe('Board r');
    expect(typedCollection('in:')).toBe('');
    expect(typedCollection('in:board plan')).toBeNull();
    expect(typedCollection('begin:bo')).toBeNull();
  });
});
