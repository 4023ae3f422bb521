import { describe, expect, it } from '@jest/globals';
import { looksLikeDn, splitAddresses, splitDns, splitWords } from './dn-list.ts';

describe('splitDns', () => {
  it.each([
    ['', []],
    ['cn=a,dc=x,dc=org', ['cn=a,dc=x,dc=org']],
    ['cn=a,dc=x,dc=org,cn=b,dc=x,dc=org', ['cn=a,dc=x,dc=org', 'cn=b,dc=x,dc=org']],
    ['cn=a,ou=g,dc=x;cn=b,dc=x', ['cn=a,ou=g,dc=x', 'cn=b,dc=x']],
    ['cn=a,dc=x\ncn=b,dc=x\n', ['cn=a,dc=x', 'cn=b,dc=x']],
    ['cn=Smith\\, Ann,dc=x', ['cn=Smith\\, Ann,dc=x']],
    ['cn="Smith, Ann; Co",dc=x, cn=b,dc=x', ['cn="Smith, Ann; Co",dc=x', 'cn=b,dc=x']],
    ['cn=a\\;b,dc=x', ['cn=a\\;b,dc=x']],
    ['cn=a,o=acme,c=de , cn=b,o=acme,c=de,', ['cn=a,o=acme,c=de', 'cn=b,o=acme,c=de']],
  ])('%j is %j', (text, names) => expect(splitDns(text)).toEqual(names));
  it('reads what it shows as the same list again', () => {
    const names = splitDns('cn=a\\,b,dc=x,cn=c,dc=x;ou=d,o=e');
    expect(splitDns(names.join('\n'))).toEqual(names);
  });
});

describe('splitWords', () => {
  it('separates at commas, semicolons and lines', () =>
    expect(splitWords(' ada, bob;cid\n dora ,,')).toEqual(['ada', 'bob', 'cid', 'dora']));
});

it('separates addresses at blanks, too', () =>
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
  ])('of %s is %p', (text, looks) => expect(looksLikeDn(text)).toBe(looks));
});
