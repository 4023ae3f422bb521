import { describe, expect, it } from '@jest/globals';
import { initials, shortened, startOf } from './characters.ts';

const family = '👩‍👩‍👧‍👦';

describe('initials', () => {
  it.each([
    ['Ada Lovelace', 'AL'],
    ['administrator', 'A'],
    ['ada.lovelace@example.org', 'AL'],
    ['Jo 🎧 Journalist', 'JJ'],
    ['🎧', '🎧'],
    [`${family} ${family}`, family],
    ['𝔄da', '𝔄'],
    ['e\u0301tienne', 'E\u0301'],
    ['محمد علي', 'مع'],
    ['', ''],
  ])('of %j are %j', (name, expected) => expect(initials(name)).toBe(expected));
});

describe('a text that is too long', () => {
  it('is cut before a character that does not fit, never within it', () => {
    for (let max = 1; max < 2 + family.length; max += 1) expect(startOf(`ab${family}c`, max)).toBe('ab'.slice(0, max));
    expect(startOf(`ab${family}c`, 2 + family.length)).toBe(`ab${family}`);
    expect(startOf('ab', 2)).toBe('ab');
  });
  it('ends with an ellipsis only where something is left out', () => {
    expect(shortened('abc', 3)).toBe('abc');
    expect(shortened('ab🎧c', 3)).toBe('ab…');
  });
});
