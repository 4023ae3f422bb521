import { describe, expect, it } from '@jest/globals';
import { personOf } from './trusted-header.ts';

const settings = {
  proxy_trusted_proxies: '10.0.0.1',
  proxy_user_header: 'X-User',
  proxy_email_header: '',
  proxy_name_header: '',
  proxy_groups_header: 'X-Groups',
  proxy_no_groups_value: '-',
  proxy_email_verified: false,
  proxy_shared_secret: '',
  proxy_secret_header: 'X-Proxy-Secret',
};

function claimsOf(header: string | undefined) {
  const headers = ['X-User', 'una@example.org', ...(header === undefined ? [] : ['X-Groups', header])];
  const named = personOf({ peer: '10.0.0.1', headers }, settings);
  return named.ok ? named.assertion.claims : named.reason;
}

describe('the groups header', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['-', []],
    ['staff', ['staff']],
    ['staff, admins ,,staff', ['staff', 'admins']],
    ['"Sales, EMEA", staff', ['Sales, EMEA', 'staff']],
    ['"a","b, c" , d', ['a', 'b, c', 'd']],
    ['EXAMPLE\\admins,b', ['EXAMPLE\\admins', 'b']],
    ['5" disks,"open', ['5" disks', '"open']],
    ['-, staff', ['-', 'staff']],
  ])('%j asserts %j', (header, values) => expect(claimsOf(header)).toEqual({ known: true, values }));

  it('is unknown when it is absent', () => expect(claimsOf(undefined)).toMatchObject({ known: false }));
});
