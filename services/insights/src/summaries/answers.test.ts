import { describe, expect, it } from '@jest/globals';
import { draftOf, notesOf, summaryAnswer, toContent, type Source } from './answers.ts';

function source(number: number): Source | undefined {
  const start = number * 10;
  return number < 10 ? { segments: [{ uuid: `uuid-${number}`, start }], start, end: start + 8 } : undefined;
}
const empty = { brief: [], key_decisions: [], action_items: [], topics: [], follow_ups: [] };
const sent = new Set([1, 2, 3]);

describe('an answer', () => {
  it('keeps only passages that were sent, in order and once', () => {
    const answer = { ...empty, brief: [{ text: ' It  works.\u0007 ', n: [3, 1, 1, 7, 99, -1, 1.5] }] };
    expect(toContent(answer, sent, source).brief).toEqual([
      {
        text: 'It works.',
        segments: [
          { uuid: 'uuid-1', start: 10 },
          { uuid: 'uuid-3', start: 30 },
        ],
      },
    ]);
  });

  it('has topics with the time of their passages, and none without a passage', () => {
    const topics = [
      { title: 'Budget', n: [3, 2] },
      { title: 'Invented', n: [7] },
    ];
    expect(toContent({ ...empty, topics }, sent, source).topics).toEqual([
      expect.objectContaining({ title: 'Budget', start: 20, end: 38 }),
    ]);
  });

  it('has no owner when the model writes nothing, or the word null', () => {
    const item = { text: 'Call Ben', n: [1], due_date: ' ' };
    const answer = {
      ...empty,
      action_items: [
        { ...item, owner: 'null' },
        { ...item, owner: 'Anna' },
      ],
    };
    expect(toContent(answer, sent, source).action_items.map(({ owner, due_date }) => [owner, due_date])).toEqual([
      [null, null],
      ['Anna', null],
    ]);
  });

  it('keeps every statement, of limited length', () => {
    const list = Array.from({ length: 100 }, (_, i) => ({ text: `${i} ${'x'.repeat(3_000)}`, n: [1] }));
    const items = list.map((statement) => ({ ...statement, owner: null, due_date: null }));
    const topics = list.map(({ n }, i) => ({ title: `Topic ${i}`, n }));
    const answer = { brief: list, key_decisions: list, action_items: items, topics, follow_ups: list };
    const content = toContent(summaryAnswer.parse(answer), sent, source);
    expect(Object.values(content).map((part) => part.length)).toEqual([100, 100, 100, 100, 100]);
    expect(content.brief[0]?.text).toHaveLength(600);
  });

  it('has no statement without a passage that was sent', () => {
    const list = [
      { text: 'Invented.', n: [7] },
      { text: 'Unproven.', n: [] },
      { text: 'Said.', n: [2] },
    ];
    const items = list.map((statement) => ({ ...statement, owner: null, due_date: null }));
    const content = toContent(
      { ...empty, brief: list, key_decisions: list, action_items: items, follow_ups: list },
      sent,
      source,
    );
    for (const part of [content.brief, content.key_decisions, content.action_items, content.follow_ups])
      expect(part.map(({ text }) => text)).toEqual(['Said.']);
  });

  it('does not fit when a text is longer than any statement', () => {
    expect(summaryAnswer.safeParse({ ...empty, brief: [{ text: 'x'.repeat(5_000), n: [] }] }).success).toBe(false);
  });

  it('becomes notes that keep the passages of their statements', () => {
    const answer = {
      ...empty,
      action_items: [{ text: 'Call Ben', owner: 'Anna', due_date: 'Friday', n: [2] }],
      topics: [{ title: 'Budget', n: [1, 3] }],
    };
    expect(notesOf(toContent(answer, sent, source))).toEqual([
      expect.objectContaining({ label: 'action', text: 'Call Ben (owner Anna) (due Friday)' }),
      expect.objectContaining({
        label: 'topic',
        text: 'Budget',
        source: expect.objectContaining({ start: 10, end: 38 }),
      }),
    ]);
  });
});

describe('the draft of an answer', () => {
  it.each([
    ['{"brief":[{"text":"We deci', 'We deci'],
    ['{"brief":[{"text":"One.","n":[1]},{"text":"Two \\u00e', 'One. Two'],
    ['{"brief":[{"text":"One \\"a\\".","n":[1]}],"key_decisions":[{"text":"No', 'One "a".'],
    ['{"br', ''],
  ])('of %s is %s', (soFar, draft) => {
    expect(draftOf(soFar)).toBe(draft);
  });
});
