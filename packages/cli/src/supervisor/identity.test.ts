import { describe, expect, it } from '@jest/globals';
import { parseStat } from './identity.ts';

function stat(name: string, state: string) {
  return `42 (${name}) ${state} 1 42 40 0 -1 4194560 1 0 0 0 1 2 3 4 20 0 11 0 98765 1 2 3`;
}

describe('parseStat', () => {
  it('finds the parent, the session and the start time', () => {
    expect(parseStat(42, stat('node', 'S'))).toEqual({ pid: 42, parent: 1, session: 40, started: 98_765 });
  });

  it('parses a name with spaces and parentheses', () => {
    expect(parseStat(42, stat('a) S (b c', 'S'))).toEqual({ pid: 42, parent: 1, session: 40, started: 98_765 });
  });

  it.each(['Z', 'X'])('takes a process in state %s for dead', (state) => {
    expect(parseStat(42, stat('node', state))).toBeUndefined();
  });
});
