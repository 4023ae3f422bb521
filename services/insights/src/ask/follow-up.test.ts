import { describe, expect, it } from '@jest/globals';
import { searchTextOf } from './follow-up.ts';

describe('the text that is searched for', () => {
  it.each([
    ['And who said that?', 'Who moves to Lisbon? And who said that?'],
    ['Why?', 'Who moves to Lisbon? Why?'],
    ['Und wer hat das gesagt?', 'Who moves to Lisbon? Und wer hat das gesagt?'],
    ['What does the Kestrel project cost?', 'What does the Kestrel project cost?'],
    [
      'When did they agree on the price of the remote control?',
      'When did they agree on the price of the remote control?',
    ],
  ])('of %j after another question', (question, text) => {
    expect(searchTextOf(question, 'Who moves to Lisbon?')).toBe(text);
  });

  it('is the question itself at the start of a conversation', () => {
    expect(searchTextOf('And that?', null)).toBe('And that?');
  });

  it('is not longer than a question may be', () => {
    expect(searchTextOf('Why?', 'x'.repeat(2_000))).toHaveLength(2_000);
  });
});
