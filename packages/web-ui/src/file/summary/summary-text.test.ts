import { describe, expect, it } from '@jest/globals';
import { adviceText, reasonText } from './labels.ts';
import type { Summary } from './summary-queries.ts';
import { secondsOf, summaryText } from './summary-text.ts';

function source(start: number) {
  return { uuid: '11111111-1111-4111-8111-111111111111', start };
}
const content: Summary['summary'] = {
  brief: [{ text: 'The plan was agreed.', segments: [source(61.4)] }],
  key_decisions: [{ text: 'Start in May.', segments: [source(125), source(10)] }],
  action_items: [{ text: 'Write to Ann.', owner: 'Bob', due_date: 'Friday', segments: [source(3)] }],
  topics: [{ title: 'Budget', start: 0, end: 90, segments: [source(0)] }],
  follow_ups: [],
};
const base = { title: 'Weekly', made_without_model: false, summary: content } as Summary;

describe('the text of a summary', () => {
  it('contains every part that has statements, with their times', () => {
    expect(summaryText(base)).toBe(
      [
        'Weekly',
        'The plan was agreed. [1:01]',
        'Key decisions\n- Start in May. [0:10, 2:05]',
        'Action items\n- Write to Ann. [0:03]; Owner: Bob; Due: Friday',
        'Topics\n- 0:00–1:30 Budget',
      ].join('\n\n'),
    );
  });

  it('says when it was made without a language model', () => {
    expect(summaryText({ ...base, made_without_model: true })).toContain('Automatic extract');
  });
});

describe('the times of a statement', () => {
  it('are each named once, in order', () => {
    expect(secondsOf([source(9.9), source(2), source(9.1)])).toEqual([2, 9]);
  });
});

describe('the reason of a failure', () => {
  it('is a sentence for a known code, and names an unknown one', () => {
    expect(reasonText('provider_refused_key')).toBe('The language model refused the key.');
    expect(reasonText('strange_code')).not.toContain('strange_code');
    expect(reasonText(null)).toBe('The reason is unknown.');
    expect(adviceText('retry')).toBe('Try again. Finished parts are kept.');
  });
});
