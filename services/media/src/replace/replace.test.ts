import { describe, expect, it } from '@jest/globals';
import { createFindPlaces, excerptOf, replacePlaces, type TextPattern } from './replace.ts';

const plain: TextPattern = { find: '', replacement: '', regex: false, match_case: false, whole_word: false };

function replaced(pattern: Partial<TextPattern>, text: string, masked: { start: number; end: number }[] = []) {
  return replacePlaces(text, createFindPlaces({ ...plain, ...pattern })({ text, masked }));
}

describe('the search for text', () => {
  it('finds text in any case, or in its own', () => {
    expect(replaced({ find: 'müller', replacement: 'Möller' }, 'Müller, MÜLLER and Müllers')).toBe(
      'Möller, Möller and Möllers',
    );
    expect(replaced({ find: 'us', replacement: 'them', match_case: true }, 'us and the US')).toBe('them and the US');
  });

  it('takes the signs of expressions and replacements as text', () => {
    expect(replaced({ find: 'a.c (x)', replacement: '$1 $&' }, 'abc (x) a.c (x)')).toBe('abc (x) $1 $&');
  });

  it.each([
    ['cat', 'cat, concatenate, Cat', '_, concatenate, _'],
    ['über', 'über, überall, gegenüber', '_, überall, gegenüber'],
    ['a an', 'ba an a an', 'ba an _'],
    ['x.', 'x.y x.', '_y _'],
    ['猫', 'a猫b 猫', 'a猫b _'],
    ['𝒳', '𝒳𝒳 𝒳', '𝒳𝒳 _'],
  ])('finds %s only as a whole word', (find, text, expected) => {
    expect(replaced({ find, replacement: '_', whole_word: true }, text)).toBe(expected);
  });

  it('counts positions as JavaScript does, also behind letters outside of the basic plane', () => {
    expect(replaced({ find: '🙂', replacement: ':)' }, '🙃🙂 and 🙂')).toBe('🙃:) and :)');
    expect(replaced({ find: '.', replacement: 'x', regex: true }, '🙃a')).toBe('xx');
  });

  it('puts groups of an expression into the replacement', () => {
    const swap = { find: String.raw`(\w+), (\w+)`, replacement: '$2 $1 ($&) $$1 $9', regex: true };
    expect(replaced(swap, 'Lovelace, Ada')).toBe('Ada Lovelace (Lovelace, Ada) $1 ');
  });

  it('finds nothing in masked parts or across them', () => {
    const masked = [{ start: 5, end: 12 }];
    expect(replaced({ find: 'phone', replacement: 'x' }, 'call [phone] or phone', masked)).toBe('call [phone] or x');
    expect(replaced({ find: 'l .*', replacement: 'x', regex: true }, 'call [phone] now', masked)).toBe(
      'call [phone] now',
    );
  });

  it('finds no empty places', () => {
    expect(replaced({ find: 'x*', replacement: '-', regex: true }, 'axxb')).toBe('a-b');
  });

  it.each(['(', '(?<=a)b', String.raw`(a)\1`, '.{500}.{500}.{500}.{500}.{500}'])(
    'refuses %s, which RE2 cannot match in linear time or which is too large',
    (find) => {
      expect(() => createFindPlaces({ ...plain, find, regex: true })).toThrow();
    },
  );

  // An engine that tries one alternative after the other needs 2^n steps here and never ends.
  it.each([5_000, 20_000])('ends with an expression that has exponentially many ways through %d letters', (length) => {
    const text = `${'a'.repeat(length)}!`;
    expect(createFindPlaces({ ...plain, find: '^(a+)+$', regex: true })({ text, masked: [] })).toEqual([]);
    expect(createFindPlaces({ ...plain, find: '^(a|aa)+!$', regex: true })({ text, masked: [] })).toHaveLength(1);
  });

  it('refuses a replacement that makes a passage too long', () => {
    expect(replaced({ find: 'a', replacement: 'b'.repeat(1_000) }, 'a'.repeat(21))).toBeUndefined();
  });
});

describe('an excerpt', () => {
  it('shows the words around a place and where it is', () => {
    const text = `${'word '.repeat(20)}HERE${' word'.repeat(20)}`;
    const { text: shown, from, to } = excerptOf(text, { start: 100, end: 104 });
    expect(shown.slice(from, to)).toBe('HERE');
    expect(shown).toMatch(/^…word .* word…$/u);
    expect(excerptOf('just this', { start: 5, end: 9 })).toEqual({ text: 'just this', from: 5, to: 9 });
  });
});
