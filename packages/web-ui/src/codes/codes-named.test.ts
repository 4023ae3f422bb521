import { expect, it } from '@jest/globals';
import { codesNamed } from './codes-named.ts';

const codes = [
  { uuid: 'money', name: 'Money', description: '', parent_uuid: null },
  { uuid: 'savings', name: 'Savings', description: 'kept for later', parent_uuid: 'money' },
  { uuid: 'worry', name: 'Worry', description: '', parent_uuid: null },
];

it.each([
  ['', ['money', 'savings', 'worry']],
  [' WORR ', ['worry']],
  ['sav', ['money', 'savings']],
  ['later', ['money', 'savings']],
  ['money', ['money']],
  ['none', []],
])('codes with the text “%s” are shown with the code that they belong to', (wanted, expected) => {
  expect(codesNamed(codes, wanted).map(({ uuid }) => uuid)).toEqual(expected);
});
