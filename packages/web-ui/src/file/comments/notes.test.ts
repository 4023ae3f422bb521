import { describe, expect, it } from '@jest/globals';
import { mentionBefore, mentionsIn, noteAt, notesOf, unknownMentionIn } from './notes.ts';
import type { CommentThread } from './comment-queries.ts';

const people = [
  { uuid: '1', name: 'Ann' },
  { uuid: '2', name: 'Ann Lee' },
];

describe('mentions', () => {
  it.each([
    ['@Ann Lee and @Ann', ['2', '1']],
    ['@Ann Lee', ['2']],
    ['Ann', []],
  ])('of %j are the people whose names stand after an @', (text, expected) => {
    expect(mentionsIn(text, people)).toEqual(expected);
  });
  it.each([
    ['see @An', { from: 4, name: 'An' }],
    ['@Ann Le', { from: 0, name: 'Ann Le' }],
    ['a@b', null],
    ['see', null],
  ])('are looked for while %j is typed', (text, expected) => {
    expect(mentionBefore(text, text.length)).toEqual(expected);
  });
});

describe('an @ without a person who may read the recording', () => {
  it.each([
    ['@Mia, please', 'Mia'],
    ['thanks @Ann and @Mia.', 'Mia'],
    ['@Ann Lee and @Ann', null],
    ['write to a@example.org', null],
    ['at 5 @ noon', null],
  ])('is found in %j', (text, expected) => {
    expect(unknownMentionIn(text, people)).toBe(expected);
  });
});

describe('the notes on the words', () => {
  const thread = (uuid: string, start: number, end: number, more: Partial<CommentThread> = {}) =>
    ({ uuid, start_time: start, end_time: end, color: null, resolved: null, ...more }) as CommentThread;
  const notes = notesOf([
    thread('a', 0, 10, { color: 'green' }),
    thread('b', 2, 4),
    thread('c', 5, 5),
    thread('d', 0, 10, { resolved: { at: '', by: null } }),
  ]);
  it('are those of open threads with words, the inner one over the outer one', () => {
    expect(notes.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(noteAt(notes, { start: 2, end: 3 })?.look).toBe('comment');
    expect(noteAt(notes, { start: 5, end: 6 })?.look).toBe('green');
    expect(noteAt(notes, { start: 11, end: 12 })).toBeUndefined();
  });
});
