import { describe, expect, it } from '@jest/globals';
import { everything } from '../../test/index-contract.ts';
import { textOfMeaning } from '../search/search.ts';
import { evidenceOf, passageOf, planQuestion, topicWords, type RetrievedFile } from './retrieval.ts';

const scope = { ownerId: null, sharedIds: [] };
const hit = { id: 'x', fileId: 'y', score: 0.5, keyword: 0, semantic: null, token: null };

function read(...texts: string[]): RetrievedFile {
  const passages = texts.map((text) => ({ text, start: 0, end: 1, speaker: null, score: 1 }));
  return { title: 'Recording 1', language: 'en', speakers: ['Anna'], passages };
}

function frequencies(files: number, of: Record<string, number>) {
  return { files, of: new Map(Object.entries(of)) };
}

describe('a question', () => {
  it('is planned as a hybrid search without operators, in the requested files', () => {
    const plan = planQuestion('Who said "road map"? speaker:Bob', { scope, languages: ['en'], fileIds: ['f'] });
    expect(plan.keyword).toMatchObject({ phrases: [] });
    expect(plan.parsed).toMatchObject({ phrases: [], filters: { speakers: [] } });
    expect(textOfMeaning({ search_mode: 'hybrid' }, plan.parsed)).not.toBeNull();
    expect(plan.filter).toEqual({ ...everything, fileIds: ['f'] });
  });

  it('has no topic words when it only asks for a summary', () => {
    const wordsOf = (text: string) => topicWords(planQuestion(text, { scope, languages: [], fileIds: null }));
    expect(wordsOf('Summarize the meeting')).toEqual([]);
    expect(wordsOf('What did the team think about the remote control?')).toEqual(['remote', 'control']);
  });
});

describe('evidence', () => {
  const known = frequencies(1_000, { volcano: 0, budget: 20, price: 900 });

  it('is general for a question without topic words', () => {
    expect(evidenceOf([], known, [read('the budget')])).toBe('general');
  });

  it('is an answer when the rare words occur, inflected or not', () => {
    expect(evidenceOf(['budget', 'price'], known, [read('our budgets are small')])).toBe('answer');
  });

  it('is missing when only the frequent words occur', () => {
    expect(evidenceOf(['volcano', 'price'], known, [read('a price'), read('the price of it')])).toBe('none');
    expect(evidenceOf(['budget'], known, [])).toBe('none');
  });

  it('is missing when the words are in different files', () => {
    const three = frequencies(1_000, { budget: 5, volcano: 5, telescope: 5 });
    const words = ['budget', 'volcano', 'telescope'];
    expect(evidenceOf(words, three, [read('budget'), read('volcano'), read('telescope')])).toBe('none');
    expect(evidenceOf(words, three, [read('budget', 'volcano and telescope')])).toBe('answer');
  });

  it('counts the title and the speakers of a file as said', () => {
    expect(evidenceOf(['Anna', 'budget'], frequencies(50, { Anna: 1, budget: 1 }), [read('the budget')])).toBe(
      'answer',
    );
  });

  it('is an answer in a small library that lacks one of several words', () => {
    const few = frequencies(2, { marketing: 1, budget: 1, large: 0 });
    expect(evidenceOf(['large', 'marketing', 'budget'], few, [read('the marketing budget')])).toBe('answer');
  });
});

describe('a passage', () => {
  it('has the speaker who says most of it, and starts at its first word', () => {
    const layout = {
      at: [0, 3, 7, 11],
      ms: [1_500, 2_000, 2_500, 3_000],
      turns: [
        [0, 'Ann'],
        [1, 'Bob'],
      ] as [number, string][],
    };
    expect(passageOf({ id: 'x', text: 'hi how are you', end: 4, layout }, hit)).toEqual({
      start: 1.5,
      end: 4,
      text: 'hi how are you',
      speaker: 'Bob',
      score: 0.5,
    });
  });
});
