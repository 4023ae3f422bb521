import { describe, expect, it } from '@jest/globals';
import { parseQuery } from './query.ts';

describe('query', () => {
  it('drops stop words', () => {
    expect(parseQuery('the deadline of a project')).toMatchObject({
      words: ['deadline', 'project'],
      text: 'the deadline of a project',
    });
  });

  it('drops the words by which people ask from a question, and only from a question', () => {
    expect(parseQuery('What did the group think about the deadline?')).toMatchObject({
      words: ['deadline'],
      text: 'deadline',
    });
    expect(parseQuery('Summarize the discussion about remote controls')).toMatchObject({
      words: ['remote', 'controls'],
    });
    expect(parseQuery('discussion about remote controls')).toMatchObject({
      words: ['discussion', 'remote', 'controls'],
      text: 'discussion about remote controls',
    });
    expect(parseQuery('Summarize the meeting').words).toEqual(['Summarize', 'meeting']);
  });

  it('keeps stop words when there are no other words', () => {
    expect(parseQuery('to be or not to be').words).toEqual(['to', 'be', 'or', 'not']);
  });

  it('parses speaker:"Name" and speaker:Name as filters, not as words', () => {
    expect(parseQuery('speaker:"Anna Lee" budget Speaker:Bob')).toEqual({
      text: 'budget',
      words: ['budget'],
      phrases: [],
      speakers: ['Anna Lee', 'Bob'],
    });
  });

  it('parses quotes as a phrase, including stop words', () => {
    expect(parseQuery('"end of the quarter" revenue')).toMatchObject({
      words: ['revenue'],
      phrases: [['end', 'of', 'the', 'quarter']],
      text: 'end of the quarter revenue',
    });
  });

  it('treats an unclosed quote as plain text', () => {
    expect(parseQuery('"budget')).toMatchObject({ words: ['budget'], phrases: [] });
  });

  it('returns no words for punctuation', () => {
    expect(parseQuery('?!* "" ()')).toMatchObject({ words: [], phrases: [] });
  });

  it('limits the number of words and phrases', () => {
    const { words } = parseQuery(Array.from({ length: 500 }, (_, i) => `w${i}`).join(' '));
    expect(words).toHaveLength(32);
  });
});
