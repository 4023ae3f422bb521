import { describe, expect, it } from '@jest/globals';
import { keysFor, noKeys, withoutMember } from './group-keys.ts';

describe('keysFor', () => {
  const shown = keysFor([['a', 'b', 'c'], ['d', 'e'], ['f']], noKeys);
  const [abc, de, single] = shown.keys;
  it('gives each group its own key', () => expect(new Set(shown.keys).size).toBe(3));
  it('keeps the keys in another order and with other members', () =>
    expect(keysFor([['f'], ['g', 'd', 'e'], ['b', 'c']], shown).keys).toEqual([single, de, abc]));
  it('leaves the key with the larger part, whichever voice is separated', () => {
    for (const [one, rest] of [
      ['a', ['b', 'c']],
      ['c', ['a', 'b']],
    ] as const) {
      const { keys } = keysFor([[one], rest, ['d', 'e'], ['f']], shown);
      expect(keys.slice(1)).toEqual([abc, de, single]);
      expect(shown.keys).not.toContain(keys[0]);
    }
  });
  it('leaves the key of two voices with the one that was not separated', () => {
    for (const [left, stays] of [
      ['d', 'e'],
      ['e', 'd'],
    ] as const) {
      const { keys } = keysFor([[left], [stays]], withoutMember(shown, left));
      expect(keys[1]).toBe(de);
      expect(shown.keys).not.toContain(keys[0]);
    }
  });
  it('uses a key only once when groups are joined or divided', () => {
    expect(keysFor([['a', 'b', 'c', 'd', 'e']], shown).keys).toEqual([abc]);
    expect(new Set(keysFor([['a'], ['b'], ['c']], shown).keys).size).toBe(3);
  });
});
