import { describe, expect, it } from '@jest/globals';
import { authTypes } from '@overtone/contracts';
import { hasNoLocalPassword, mayUseLocalPassword, profileChangesOf } from './account.ts';

describe('the address of an account', () => {
  const user = { email: 'Una@example.org', fullName: 'Una', ldapUid: 'una', assertedEmail: null, authType: 'ldap' };
  const changes = (email: string, otherEmails: string[]) =>
    profileChangesOf(user, {
      source: 'ldap',
      subject: { issuer: null, id: 'entryUUID:1' },
      login: 'una',
      email,
      otherEmails,
      emailVerified: true,
      name: 'Una',
      claims: { known: true, values: [] },
      legacyAdmin: 'no',
    });

  it('stays while it is one of several that the directory names, in any order and case', () => {
    expect(changes('u.second@example.org', ['u.second@example.org', 'una@example.org'])).toEqual({});
  });

  it('follows the directory when that no longer names it', () => {
    expect(changes('u.second@example.org', ['u.second@example.org'])).toEqual({ email: 'u.second@example.org' });
  });
});

describe('the right to sign in with a local password', () => {
  it('is decided for every kind of account, with and without allow_local_fallback', () => {
    const table = authTypes.map((authType) => [
      authType,
      hasNoLocalPassword({ authType }),
      mayUseLocalPassword({ authType, allowLocalFallback: false }),
      mayUseLocalPassword({ authType, allowLocalFallback: true }),
    ]);
    expect(table).toEqual([
      ['local', false, true, true],
      ['ldap', true, false, false],
      ['oidc', false, false, true],
      ['pki', false, false, true],
      ['proxy', true, false, false],
    ]);
  });
});
