import { describe, expect, it } from '@jest/globals';
import { readPickle } from './pickle.ts';

function pickle(...parts: (string | number[])[]): Buffer {
  return Buffer.concat([[0x80, 2], ...parts, '.'].map((part) => Buffer.from(part as string)));
}

describe('the reader of pickles', () => {
  it('reads numbers, texts, lists, tuples and dictionaries', () => {
    // {'a': [1, 300, -2, 1.5, True, None], 'b': (1, 2)}
    const list = ['](', 'K', [1], 'M', [0x2c, 1], 'J', [0xfe, 0xff, 0xff, 0xff], 'G', [0x3f, 0xf8, 0, 0, 0, 0, 0, 0]];
    const text = (letter: string) => ['X', [1, 0, 0, 0], letter];
    const bytes = pickle('}(', ...text('a'), ...list, [0x88], 'Ne', ...text('b'), 'K', [1], 'K', [2], [0x86], 'u');
    expect(readPickle(bytes)).toEqual(
      new Map<string, unknown>([
        ['a', [1, 300, -2, 1.5, true, null]],
        ['b', [1, 2]],
      ]),
    );
  });

  it('returns a call as data, and does not make it', () => {
    const bytes = pickle('cposix\nsystem\n', 'X', [4, 0, 0, 0], 'exit', [0x85], 'R');
    expect(readPickle(bytes)).toEqual({ callee: { global: 'posix.system' }, args: ['exit'] });
  });

  it('refers to a value again', () => {
    const value = readPickle(pickle(']', 'q', [0], 'h', [0], [0x86]));
    expect(value).toEqual([[], []]);
  });

  it.each([
    ['an operation that it does not know', pickle([0xff]), 'unknown operation'],
    ['an end in the middle of a value', Buffer.from([0x80, 2, 0x58, 255, 255, 255, 255]), 'in the middle'],
    ['a value that is not on the stack', pickle('R'), 'not on its stack'],
    ['a tuple without a mark', pickle('t'), 'no mark'],
    ['a value that was not stored', pickle('h', [3]), 'did not store'],
    [
      'a number of many bytes',
      pickle(
        [0x8a, 200],
        Array.from({ length: 200 }, () => 1),
      ),
      'too long',
    ],
  ])('refuses %s', (_, bytes, reason) => {
    expect(() => readPickle(bytes)).toThrow(reason);
  });
});
