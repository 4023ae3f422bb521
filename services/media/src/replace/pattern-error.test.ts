import { describe, expect, it } from '@jest/globals';
import { growthOf, linearGrowth } from '@overtone/testkit/growth';
import { createFindPlaces } from './replace.ts';
import { patternError } from './pattern-error.ts';

function messageOf(find: string): string {
  try {
    createFindPlaces({ find, replacement: '', regex: true, match_case: false, whole_word: false });
    return 'valid';
  } catch (error) {
    return patternError(find, error);
  }
}

describe('the message for an expression that is not valid', () => {
  it.each([
    ['(a(b)', 'At character 1: This “(” is never closed.'],
    [String.raw`a\([(]((b)`, 'At character 7: This “(” is never closed.'],
    ['(a))b', 'At character 4: This “)” closes nothing.'],
    ['ab[cd', 'At character 3: This “[” is never closed.'],
    ['a*|*', 'At character 4: There is nothing that “*” could repeat.'],
    ['😀a**', 'At character 3: Only one of “**” can stand here.'],
    ['ab{3,1}', 'At character 3: “{3,1}” repeats too often, or its numbers are in the wrong order.'],
    [String.raw`a\y`, String.raw`At character 2: “\y” has no meaning.`],
    [String.raw`\d` + '\\', 'At character 3: Nothing follows this “\\”.'],
    ['ab\\', 'At character 3: Nothing follows this “\\”.'],
    ['[a-b][z-a]', 'At character 7: “z-a” is no range or kind of characters.'],
    ['x(?=y)', 'At character 2: “(?=” is not supported.'],
    ['(?P<n', 'At character 1: “(?P<n” is no group with a name.'],
    ['(?P<n>a)(?P<n>b)', 'The name “n” is used for two groups.'],
    ['(x{100}){100}', 'repeats too often'],
  ])('names the place in %s', (find, message) => {
    expect(messageOf(find)).toContain(message);
    expect(messageOf(find)).not.toMatch(/regexp|argument|operator|escape sequence/);
  });
  it('is found in time in proportion to its length', async () => {
    const patternOf = (signs: number): string => `${String.raw`\pL`.repeat(signs / 3)}**`;
    expect(await growthOf(patternOf, 249, messageOf)).toBeLessThan(linearGrowth);
    expect(messageOf(patternOf(996))).toContain('At character 997: Only one of “**” can stand here.');
  });
  it('says what to do about one that is too large', () => {
    expect(messageOf('(?:abcdefghij){900}')).toMatch(/too large|too often/);
  });
});
