import { describe, expect, it } from '@jest/globals';
import type { PublicSegment } from '@overtone/contracts';
import { wordsOfText } from './words.ts';

function segment(text: string, change: Partial<PublicSegment> = {}): PublicSegment {
  return { start_time: 10, end_time: 20, text, withheld: false, speaker: null, words: [], redactions: [], ...change };
}
function word(text: string, start: number) {
  return { word: text, start, end: start + 1 };
}

describe('the pieces of a passage', () => {
  it('are its words with their own times, and together its text', () => {
    const words = [word('good', 10), word('good', 11), word('morning', 12)];
    const pieces = wordsOfText(segment('good good  morning', { words }));
    expect(pieces.map(({ text, start }) => [text, start])).toEqual([
      ['good ', 10],
      ['good  ', 11],
      ['morning', 12],
    ]);
  });

  it('have estimated times where the text was edited', () => {
    const pieces = wordsOfText(segment('entirely new', { words: [word('old', 10)] }));
    expect(pieces.map(({ start }) => start)).toEqual([10, 10 + (10 * 9) / 12]);
  });

  it('show placeholders as such, and keep the times of the words around them', () => {
    const pieces = wordsOfText(
      segment('write [email], thanks', {
        words: [word('write', 10), word('', 11), word('thanks', 14)],
        redactions: [{ kind: 'email', start: 6, end: 13 }],
      }),
    );
    expect(pieces.map(({ text, isMasked }) => [text, isMasked])).toEqual([
      ['write ', false],
      ['[email]', true],
      [', ', false],
      ['thanks', false],
    ]);
    expect(pieces.at(-1)?.start).toBe(14);
  });
});
