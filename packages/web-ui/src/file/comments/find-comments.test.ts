import { expect, it } from '@jest/globals';
import type { CommentThread } from './comment-queries.ts';
import { saysAll } from './find-comments.ts';

const thread = {
  text: 'Is this the right figure?',
  quote: 'the café closed',
  author: { uuid: '1', name: 'Ada Lovelace' },
  replies: [
    { text: 'Ask Grace', author: null },
    { text: '', author: { uuid: '2', name: 'Zoë' } },
  ],
} as unknown as CommentThread;

it.each([
  ['', true],
  ['  ', true],
  ['FIGURE right', true],
  ['cafe', true],
  ['grace lovelace', true],
  ['zoe fig', true],
  ['figure wrong', false],
])('%j is found: %s', (wanted, expected) => {
  expect(saysAll(thread, wanted)).toBe(expected);
});
