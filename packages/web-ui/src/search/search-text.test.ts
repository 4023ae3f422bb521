import { expect, it } from '@jest/globals';
import { whatIsMissing } from './search-text.ts';

it.each([
  ...['speaker:', 'tag:', 'in:', '-speaker:', '-tag:'].map((text) => [text, `Write a name after ${text}`]),
  ['Speaker: ', 'Write a name after speaker:'],
  ['tag:""', 'Write a name after tag:'],
  ['in:"', 'Write a name after in:'],
  ['- speaker:', 'Write a name after speaker:'],
  ...['"', '""', '-', '…', '" "', '?!'].map((text) => [text, 'Type a word to search for.']),
])('says what is missing in the search text %s', (text = '', message = '') =>
  expect(whatIsMissing(text)).toBe(message),
);
