import { describe, expect, it } from '@jest/globals';
import type { SummaryContent } from '@overtone/contracts';
import { summaryAnswerOf, type SummarySegment } from './summary-answer.ts';

function segment(uuid: string, start: number): SummarySegment {
  return {
    uuid,
    fileId: 'f',
    title: 'Planning',
    start,
    end: start + 5,
    speaker: 'Anna',
    text: `Said at ${start}.`,
  };
}
const segments = [segment('a', 10), segment('b', 20), segment('c', 30)];
function says(text: string, ...uuids: string[]) {
  return { text, segments: uuids.map((uuid) => ({ uuid, start: 0 })) };
}
const content: SummaryContent = {
  brief: [says('The team planned the move.', 'a')],
  key_decisions: [says('The office moves to Lisbon.', 'b', 'a'), says('The budget stays.', 'gone')],
  action_items: [{ ...says('Send the contract', 'c'), owner: 'Ben', due_date: 'Friday' }],
  topics: [{ title: 'Move', start: 10, end: 40, segments: [{ uuid: 'a', start: 10 }] }],
  follow_ups: [],
};

describe('an answer from a summary', () => {
  it.each([
    ['What was decided?', 'The office moves to Lisbon.'],
    ['Was wurde beschlossen?', 'The office moves to Lisbon.'],
    ['What are the action items?', 'Send the contract (Ben, Friday)'],
    ['Which topics were discussed?', 'Move'],
    ['Summarise this.', 'The team planned the move.'],
    ['Worum ging es?', 'The team planned the move.'],
  ])('has for %j the part %j', (question, text) => {
    expect(summaryAnswerOf(question, content, segments)?.sentences[0]?.text).toBe(text);
  });

  it('cites the segments of each statement as they are now', () => {
    const answer = summaryAnswerOf('What was decided?', content, segments);
    expect(answer?.sentences.map(({ citations, supported }) => [citations, supported])).toEqual([
      [[1, 2], true],
      [[], false],
    ]);
    expect(answer?.citations.map(({ number, start, quote }) => [number, start, quote])).toEqual([
      [1, 20, 'Said at 20.'],
      [2, 10, 'Said at 10.'],
    ]);
  });

  it('is missing when the summary says nothing about it', () => {
    expect(summaryAnswerOf('Are there open questions?', content, segments)).toBeNull();
  });
});
