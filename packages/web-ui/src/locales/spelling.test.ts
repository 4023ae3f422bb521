import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The texts of the pages, without the names of their values. */
const texts = readFileSync(join(import.meta.dirname, 'en.po'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('msgid'))
  .map((line) => line.replaceAll(/\{\w+\}|<[^>]*>|\{\w+, (plural|select)/g, ''));

describe('the spelling of the pages', () => {
  it.each([
    [/\b(colors?|grays?|behaviors?|favorites?|centers?|canceled|labeled|license)\b/i, 'is British'],
    [/\b(?:organ|recogn|synchron|minim|maxim|summar|anonym|author)iz(?:e|es|ed|ing|ation)\b/i, 'has -ise'],
    [/\bemails?\b/i, 'has e-mail'],
  ])('has no word like %s: it %s', (pattern) => expect(texts.filter((text) => pattern.test(text))).toEqual([]));
});
