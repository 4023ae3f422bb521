import { describe, expect, it } from '@jest/globals';
import { growthOf, linearGrowth } from '@overtone/testkit/growth';
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
    expect(parseQuery('speaker:"Anna Lee" budget Speaker:Bob')).toMatchObject({
      text: 'budget',
      words: ['budget'],
      phrases: [],
      filters: { speakers: ['Anna Lee', 'Bob'], excludedSpeakers: [] },
    });
  });

  it('reads a doubled quote in a quoted name as a quote', () => {
    expect(parseQuery('speaker:"Ann ""Bo"" Lee" tag:"" budget')).toMatchObject({
      words: ['budget'],
      phrases: [],
      filters: { speakers: ['Ann "Bo" Lee'], tags: [] },
    });
  });

  it('takes a letter that only folds to one of an operator as a word', () => {
    expect(parseQuery('ſpeaker:Bob')).toMatchObject({ words: ['ſpeaker', 'Bob'], filters: { speakers: [] } });
  });

  it('parses tags, collections and their negation', () => {
    const { filters, words } = parseQuery('tag:"Q1 plan" -tag:draft in:Board -in:"Old files" -speaker:Eve budget');
    expect(words).toEqual(['budget']);
    expect(filters).toMatchObject({
      tags: ['Q1 plan'],
      excludedTags: ['draft'],
      collections: ['Board'],
      excludedCollections: ['Old files'],
      excludedSpeakers: ['Eve'],
    });
  });

  it('parses days, months and years in UTC; the narrowest range counts', () => {
    const range = (query: string) => {
      const { from, before } = parseQuery(query).filters;
      return [from, before].map((time) => (time === null ? null : new Date(time).toISOString().slice(0, 10)));
    };
    expect(range('after:2026-03-05 before:2026-04')).toEqual(['2026-03-05', '2026-04-01']);
    expect(range('after:2025 after:2026 before:2027')).toEqual(['2026-01-01', '2027-01-01']);
    expect(range('budget')).toEqual([null, null]);
  });

  it.each(['before:', 'before:soon', 'after:2026-02-30', 'after:2026-13', 'before:26-01-01', '-before:2026'])(
    'rejects %s with the expected form of a date',
    (query) => {
      expect(() => parseQuery(`budget ${query}`)).toThrow(/before:|after:/);
    },
  );

  it('takes other words with a colon as words', () => {
    expect(parseQuery('ratio 3:4 note:this within:that').words).toEqual(['ratio', '3', '4', 'note', 'within']);
  });

  it('returns where the words are in the query', () => {
    const query = 'tag:bugdet "bugdet plan" the bugdet';
    expect(parseQuery(query).places.map(({ at, end }) => [at, query.slice(at, end)])).toEqual([[29, 'bugdet']]);
  });

  it('returns all places of a word that is repeated, in any case, and the word once', () => {
    const { words, places } = parseQuery('bugdet plan Bugdet');
    expect(words).toEqual(['bugdet', 'plan']);
    expect(places.map(({ at }) => at)).toEqual([0, 7, 12]);
  });

  it('parses quotes as a phrase, including stop words', () => {
    expect(parseQuery('"end of the quarter" revenue')).toMatchObject({
      words: ['revenue'],
      phrases: [['end', 'of', 'the', 'quarter']],
      text: 'end of the quarter revenue',
    });
  });

  it('parses a minus before a word or a phrase as an exclusion, and a hyphen as part of a word', () => {
    const { words, phrases, filters, text } = parseQuery('budget -draft -"last year" -e-mail long-term 3 - 2 -');
    expect(words).toEqual(['budget', 'long', 'term', '3', '2']);
    expect(phrases).toEqual([]);
    expect(filters.excludedPhrases).toEqual([['draft'], ['last', 'year'], ['e', 'mail']]);
    expect(text).not.toContain('draft');
  });

  it('takes a minus and an operator within quotes as a part of the phrase', () => {
    expect(parseQuery('"cost -benefit" plan')).toMatchObject({
      words: ['plan'],
      phrases: [['cost', 'benefit']],
      text: 'cost -benefit plan',
      filters: { excludedPhrases: [] },
    });
    expect(parseQuery('"ask speaker:ann now" -"not tag:draft"')).toMatchObject({
      words: [],
      phrases: [['ask', 'speaker', 'ann', 'now']],
      filters: { speakers: [], tags: [], excludedPhrases: [['not', 'tag', 'draft']] },
    });
  });

  it.each([
    ['phrases', '"a b" '],
    ['excluded words', '-word '],
  ])('rejects more %s than can be searched for, and does not drop some of them', (_, written) => {
    expect(() => parseQuery(written.repeat(8))).not.toThrow();
    expect(() => parseQuery(written.repeat(9))).toThrow(/at most 8/);
  });

  it('takes typographic quotes and dashes for plain ones, and a dash between words for none', () => {
    const { words, phrases, filters } = parseQuery(
      'budget – 2026 “annual report” speaker:„Ann Lee“ –draft −“last year”',
    );
    expect(words).toEqual(['budget', '2026']);
    expect(phrases).toEqual([['annual', 'report']]);
    expect(filters).toMatchObject({ speakers: ['Ann Lee'], excludedPhrases: [['draft'], ['last', 'year']] });
  });

  it('treats an unclosed quote as plain text', () => {
    expect(parseQuery('"budget')).toMatchObject({ words: ['budget'], phrases: [] });
  });

  it('returns no words for punctuation', () => {
    expect(parseQuery('?!* "" ()')).toMatchObject({ words: [], phrases: [] });
  });

  it('limits the number of words', () => {
    const { words } = parseQuery(Array.from({ length: 500 }, (_, i) => `w${i}`).join(' '));
    expect(words).toHaveLength(32);
  });

  it.each(['"', '"a" ', '-"', '-a ', 'tag:a ', 'speaker:"a" '])(
    'of %j again and again is read in time in proportion to its length, and refused where it has too many phrases',
    async (piece) => {
      const textOf = (length: number): string => piece.repeat(Math.ceil(length / piece.length));
      const read = (text: string): void => {
        try {
          parseQuery(text);
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_request' });
        }
      };
      expect(await growthOf(textOf, 16_384, read)).toBeLessThan(linearGrowth);
    },
  );
});
