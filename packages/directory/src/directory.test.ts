import { describe, expect, it } from '@jest/globals';
import { verdictOf } from './directory.ts';

function verdict(code: number, diagnostic = '', policyError?: number): string {
  const found = verdictOf({ code, diagnostic, policyError });
  return found.outcome === 'yes' ? 'yes' : found.outcome === 'no' ? found.reason : `unknown: ${found.failure.reason}`;
}

function ad(data: string): string {
  return `80090308: LdapErr: DSID-0C09042A, comment: AcceptSecurityContext error, data ${data}, v3839`;
}

describe('the answer to a bind as a person', () => {
  it.each([
    [0, '', undefined, 'yes'],
    [0, '', 2, 'password_expired'],
    [0, '', 7, 'yes'],
    [49, '', undefined, 'wrong_password'],
    [49, '', 0, 'password_expired'],
    [49, '', 1, 'account_locked'],
    [48, '', undefined, 'wrong_password'],
    [49, ad('525'), undefined, 'wrong_password'],
    [49, ad('52e'), undefined, 'wrong_password'],
    [49, ad('530'), undefined, 'account_disabled'],
    [49, ad('531'), undefined, 'account_disabled'],
    [49, ad('532'), undefined, 'password_expired'],
    [49, ad('533'), undefined, 'account_disabled'],
    [49, ad('701'), undefined, 'account_expired'],
    [49, ad('773'), undefined, 'password_expired'],
    [49, ad('775'), undefined, 'account_locked'],
    [19, 'Exceed password retry limit. Please try later.', undefined, 'account_locked'],
    [53, 'Account inactivated. Contact system administrator.', undefined, 'account_disabled'],
    [19, '', undefined, 'unknown: refused'],
    [53, 'unauthenticated bind (DN with no password) disallowed', undefined, 'unknown: refused'],
    [10, '', undefined, 'unknown: referral'],
    [32, '', undefined, 'unknown: config'],
    [51, '', undefined, 'unknown: busy'],
    [52, '', undefined, 'unknown: busy'],
    [14, '', undefined, 'unknown: refused'],
    [80, '', undefined, 'unknown: refused'],
  ])('%i %j (policy %s): %s', (code, diagnostic, policyError, expected) => {
    expect(verdict(code, diagnostic, policyError)).toBe(expected);
  });
});
