import { describe, expect, it } from '@jest/globals';
import { parseQuery } from './query.ts';

describe('query', () => {
  it('leaves out words without meaning of their own', () => {
    expect(parseQuery('when is the deadline')).toMatchObject({ words: ['deadline'], text: 'when is the deadline' });
  });

  it('keeps them when there are no others', () => {
    expect(parseQuery('to be or not to be').words).toEqual(['to', 'be', 'or', 'not']);
  });

  it('reads speaker:"Name" and speaker:Name as filters, not as words', () => {
    expect(parseQuery('speaker:"Anna Lee" budget Speaker:Bob')).toEqual({
      text: 'budget',
      words: ['budget'],
      phrases: [],
      speakers: ['Anna Lee', 'Bob'],
    });
  });

  it('reads quotes as a phrase, with the stop words in it', () => {
    expect(parseQuery('"end of the quarter" revenue')).toMatchObject({
      words: ['revenue'],
      phrases: [['end', 'of', 'the', 'quarter']],
      text: 'end of the quarter revenue',
    });
  });

  it('takes an unclosed quote for a plain word', () => {
    expect(parseQuery('"budget')).toMatchObject({ words: ['budget'], phrases: [] });
  });

  it('finds nothing to look for in punctuation', () => {
    expect(parseQuery('?!* "" ()')).toMatchObject({ words: [], phrases: [] });
  });

  it('bounds what one search can cost', () => {
    const { words } = parseQuery(Array.from({ length: 500 }, (_, i) => `w${i}`).join(' '));
    expect(words).toHaveLength(32);
  });
});
