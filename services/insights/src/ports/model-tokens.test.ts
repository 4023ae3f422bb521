import { describe, expect, it } from '@jest/globals';
import { countScriptedTokens } from '@overtone/testkit/language-model';
import { countTokens, countWords } from './model-tokens.ts';

const texts = [
  '',
  'We met on Monday and agreed on the budget for 2027.',
  'Bundesverfassungsgericht, Übergrößenträger; naïve façade',
  '会議は月曜日に行われました。',
  'a   b\n\n\t c  \r\n d ',
  '👩‍👩‍👧 <<<[boundary-9f3a]>>> {"a": [1, 2.5]}',
];

describe('countTokens', () => {
  it.each(texts)('is at least what a tokenizer counts, and at most the bytes: %j', (text) => {
    const counted = countTokens(text);
    expect(counted).toBeGreaterThanOrEqual(countScriptedTokens(text));
    expect(counted).toBeGreaterThanOrEqual(countWords(text));
    expect(counted).toBeLessThanOrEqual(Buffer.byteLength(text));
  });

  it('wastes less than half of a window with English text', () => {
    const text = 'the team agreed that the new budget should be ready before the end of the month. '.repeat(50);
    expect(countTokens(text)).toBeLessThan(countWords(text) * 2);
  });
});

describe('countWords', () => {
  it('counts the words that no tokenizer joins', () => {
    expect(countWords(' one two\nthree ')).toBe(3);
  });
});
