import { describe, expect, it } from '@jest/globals';
import { createEventParser } from './event-stream.ts';

const text = ': waiting\n\nevent: stage\ndata: {"a":1}\n\nevent: text\ndata: one\ndata: two\n\n';
const events = [
  { event: 'stage', data: '{"a":1}' },
  { event: 'text', data: 'one\ntwo' },
];

describe('events of a stream', () => {
  it.each([1, 2, 5, 1_000])('are parsed from pieces of %d characters', (length) => {
    const parse = createEventParser();
    const pieces = text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
    expect(pieces.flatMap((piece) => parse(piece))).toEqual(events);
  });

  it('wait for their end', () => {
    const parse = createEventParser();
    expect(parse('data: x\n')).toEqual([]);
    expect(parse('\n')).toEqual([{ event: 'message', data: 'x' }]);
  });
});
