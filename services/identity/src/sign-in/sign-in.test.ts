import { describe, expect, it } from '@jest/globals';
import { effective } from '../settings/settings.ts';
import { isBlank, isOwner, methodsOf, type SignInAccount } from './sign-in.ts';

const settings = effective(new Map(), {}).values;

describe('GET /api/auth/methods', () => {
  it('lists the methods in order, with local only when local_enabled', () => {
    const all = { ldap_enabled: true, oidc_enabled: true, pki_enabled: true, proxy_enabled: true };
    expect(methodsOf({ ...settings, ...all }).methods).toEqual(['local', 'ldap', 'oidc', 'pki', 'proxy']);
    expect(methodsOf({ ...settings, ...all, local_enabled: false }).methods).toEqual(['ldap', 'oidc', 'pki', 'proxy']);
    expect(methodsOf(settings).methods).toEqual(['local']);
  });
  it('has local_enabled, allow_registration and the legacy SSO boolean', () => {
    expect(methodsOf({ ...settings, oidc_enabled: true, allow_registration: true })).toMatchObject({
      local_enabled: true,
      allow_registration: true,
      oidc_enabled: true,
      keycloak_enabled: true,
    });
    expect(methodsOf(settings)).toMatchObject({ allow_registration: false, keycloak_enabled: false });
  });
});

describe('a password', () => {
  it.each(['', ' ', '\t\r\n', '\0', ' \0 '])('%j is blank', (password) => expect(isBlank(password)).toBe(true));
  it.each(['x', ' x', '0'])('%j is not blank', (password) => expect(isBlank(password)).toBe(false));
});

describe('the owner of an account', () => {
  const account = (change: Partial<SignInAccount>): SignInAccount => ({
    id: 'x',
    email: 'e',
    role: 'user',
    authType: 'ldap',
    isActive: true,
    approvalStatus: 'approved',
    stamp: '',
    fullName: '',
    assertedEmail: null,
    oidcIssuer: null,
    oidcSubject: null,
    pkiIssuerDn: null,
    pkiSubjectDn: null,
    proxyUser: null,
    groupIds: [],
    groupIdsOfSource: [],
    mappingsVersion: null,
    allowLocalFallback: false,
    passwordHash: null,
    ldapUid: null,
    directoryId: null,
    ...change,
  });
  const person = (immutableId: string | null, login = 'bob') => ({
    dn: 'cn=x',
    login,
    email: null,
    emails: [],
    name: '',
    immutableId,
    groups: { known: true, values: [] } as const,
    admitted: 'yes' as const,
    adminSignal: 'no' as const,
    state: { signIn: 'allowed', reason: null, disabled: false } as const,
  });
  it('is recognised by the immutable id, and by the name only without one', () => {
    expect(isOwner(account({ directoryId: 'a', ldapUid: 'bob' }), person('a', 'renamed'))).toBe(true);
    expect(isOwner(account({ directoryId: 'a', ldapUid: 'bob' }), person('b'))).toBe(false);
    expect(isOwner(account({ directoryId: 'a', ldapUid: 'bob' }), person(null))).toBe(false);
    expect(isOwner(account({ ldapUid: 'BOB' }), person(null))).toBe(true);
    expect(isOwner(account({ ldapUid: null }), person(null))).toBe(false);
    expect(isOwner(undefined, person('a'))).toBe(true);
  });
});
