import { describe, expect, it } from '@jest/globals';
import { looksLikeDn, splitAddresses, splitWords } from './lists.ts';

describe('splitWords', () => {
  it('splits at commas, semicolons and line breaks', () =>
    expect(splitWords(' ada, bob;cid\n dora ,,')).toEqual(['ada', 'bob', 'cid', 'dora']));
});

it('splits addresses also at spaces', () =>
  expect(splitAddresses('::1;127.0.0.1, 10.0.0.0/8 fd00::/8\n')).toEqual([
    '::1',
    '127.0.0.1',
    '10.0.0.0/8',
    'fd00::/8',
  ]));

describe('looksLikeDn', () => {
  it.each([
    ['cn=a,dc=x', true],
    ['1.2.840=a,dc=x', true],
    ['cn=Smith\\, Ann,dc=x', true],
    ['admins', false],
    ['cn=', false],
  ])('for %s is %p', (text, looks) => expect(looksLikeDn(text)).toBe(looks));
});
