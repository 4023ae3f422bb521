import { describe, expect, it } from '@jest/globals';
import { authSettings, type AuthSettings } from '@overtone/contracts';
import { adminByRole, claimAt, listAt, mappedClaims } from './claims.ts';
import { issuerOf, missingSetting, admissionFaultOf, personOf, type OidcSettings } from './oidc.ts';

const defaults = Object.fromEntries(
  Object.entries(authSettings).map(([key, def]) => [key, def.default]),
) as unknown as AuthSettings;

function settings(change: Partial<OidcSettings> = {}): OidcSettings {
  return { ...defaults, ...change };
}

function person(claims: Record<string, unknown>, change: Partial<OidcSettings> = {}) {
  return personOf({ iss: 'https://idp.example.org', sub: 's-1', ...claims }, settings(change), true);
}

describe('a claim at a path', () => {
  it.each([
    ['groups', { groups: ['a'] }, ['a']],
    ['realm_access.roles', { realm_access: { roles: ['r'] } }, ['r']],
    ['https://example.org/groups', { 'https://example.org/groups': ['g'] }, ['g']],
    ['a.b', { 'a.b': 1, a: { b: 2 } }, 1],
    ['a.b', { a: { b: 2 } }, 2],
    ['a.b', { a: [{ b: 2 }] }, undefined],
    ['a.b.c', { a: 'text' }, undefined],
    ['__proto__.polluted', {}, undefined],
    ['constructor.name', {}, undefined],
    ['groups.length', { groups: ['a'] }, undefined],
    ['', { '': 1 }, undefined],
  ])('%j of %j is %j', (path, claims, expected) => {
    expect(claimAt(claims, path)).toEqual(expected);
  });
});

describe('a list claim', () => {
  it.each([
    ['several', { groups: ['b', 'a', 'b'] }, { known: true, values: ['b', 'a'] }],
    ['a single text', { groups: 'a' }, { known: true, values: ['a'] }],
    ['empty', { groups: [] }, { known: true, values: [] }],
    ['empty texts only', { groups: [''] }, { known: true, values: [] }],
    [
      'compared to the letter',
      { groups: ['Staff', 'staff', ' staff'] },
      { known: true, values: ['Staff', 'staff', ' staff'] },
    ],
    ['absent', {}, { known: false, reason: 'absent' }],
    ['null', { groups: null }, { known: false, reason: 'absent' }],
    ['an object', { groups: { a: true } }, { known: false, reason: 'malformed' }],
    ['a number', { groups: 7 }, { known: false, reason: 'malformed' }],
    ['partly no text', { groups: ['a', 7] }, { known: false, reason: 'malformed' }],
    [
      'far too long',
      { groups: Array.from({ length: 20_001 }, (_, i) => `g${i}`) },
      { known: false, reason: 'malformed' },
    ],
    ['left out for its length', { _claim_names: { groups: 'src1' } }, { known: false, reason: 'overage' }],
    [
      'left out, and present all the same',
      { groups: ['a'], _claim_names: { groups: 'src1' } },
      { known: false, reason: 'overage' },
    ],
    ['left out in the older way', { hasgroups: true }, { known: false, reason: 'overage' }],
  ])('that is %s', (_name, claims, expected) => {
    expect(listAt(claims, 'groups')).toEqual(expected);
  });
});

describe('the mapped claims', () => {
  const known = (...values: string[]) => ({ known: true as const, values });
  const unknown = { known: false as const, reason: 'absent' };
  it('are groups, and roles where the claim is present', () => {
    expect(mappedClaims(known('g'), known('r', 'g'), 'groups')).toEqual(known('g', 'r'));
    expect(mappedClaims(known('g'), unknown, 'groups')).toEqual(known('g'));
  });
  it('are unknown while the groups are, whatever the roles: nothing is revoked', () => {
    expect(mappedClaims(unknown, known('r'), 'groups')).toEqual(unknown);
    expect(mappedClaims(unknown, unknown, 'groups')).toEqual(unknown);
  });
  it('are the roles where no groups claim is configured', () => {
    expect(mappedClaims(unknown, known('r'), '')).toEqual(known('r'));
  });
  it('make an administrator by a configured role, compared verbatim', () => {
    const configured = (...roles: string[]) => ({ roles, configured: true });
    expect(adminByRole(known('user', 'ops'), configured('admin', 'ops'))).toBe('yes');
    expect(adminByRole(known('Admin'), configured('admin'))).toBe('no');
    expect(adminByRole(known(), configured('admin'))).toBe('no');
    expect(adminByRole(known('admin'), configured())).toBe('no');
  });
  it('match the default role in a claim that is present', () => {
    expect(adminByRole(known('admin'), { roles: ['admin'], configured: false })).toBe('yes');
  });
  it.each(['absent', 'overage', 'malformed'])(
    'an %s roles claim is unknown only where admin roles are set',
    (reason) => {
      const roles = { known: false as const, reason };
      expect(adminByRole(roles, { roles: ['admin'], configured: true })).toBe('unknown');
      expect(adminByRole(roles, { roles: ['admin'], configured: false })).toBe('no');
      expect(adminByRole(roles, { roles: [], configured: true })).toBe('no');
    },
  );
});

describe('the person of a token', () => {
  it('is identified by issuer and subject', () => {
    expect(
      person({ preferred_username: 'una', email: 'una@example.org', email_verified: true, name: 'Una' }),
    ).toMatchObject({
      source: 'oidc',
      subject: { issuer: 'https://idp.example.org', id: 's-1' },
      login: 'una',
      email: 'una@example.org',
      emailVerified: true,
      name: 'Una',
    });
  });
  it.each(['true', 1, 'TRUE', null, undefined, [true], {}])('an address is not verified by %j', (email_verified) => {
    expect(person({ email: 'una@example.org', email_verified }).emailVerified).toBe(false);
  });
  it('an address from another claim than email is not verified', () => {
    const claims = { email: 'una@example.org', email_verified: true, upn: 'root@example.org' };
    expect(person(claims, { oidc_email_claim: 'upn' })).toMatchObject({
      email: 'root@example.org',
      emailVerified: false,
    });
    const same = { ...claims, upn: 'una@example.org' };
    expect(person(same, { oidc_email_claim: 'upn' }).emailVerified).toBe(true);
  });
  it.each([
    ['una'],
    ['una@'],
    ['@example.org'],
    ['una@example.org evil'],
    ['una@exa\nmple.org'],
    [7],
    [['una@example.org']],
    ['u'.repeat(320) + '@x'],
  ])('has no address in %j', (email) => {
    expect(person({ email, email_verified: true })).toMatchObject({ email: null, emailVerified: false, login: 's-1' });
  });
});

describe('admission', () => {
  it.each([
    [{}, {}, undefined],
    [{ groups: ['a'] }, { oidc_allowed_groups: 'a, b' }, undefined],
    [{ groups: ['c'] }, { oidc_allowed_groups: 'a, b' }, 'no_allowed_group'],
    [{ groups: ['A'] }, { oidc_allowed_groups: 'a' }, 'no_allowed_group'],
    [{ groups: [] }, { oidc_allowed_groups: 'a' }, 'no_allowed_group'],
    [{}, { oidc_allowed_groups: 'a' }, 'groups_absent'],
    [{ groups: ['a'], _claim_names: { groups: 's' } }, { oidc_allowed_groups: 'a' }, 'groups_overage'],
    [{ groups: ['a', 'x'] }, { oidc_allowed_groups: 'a', oidc_blocked_groups: 'x' }, 'blocked_group'],
    [{ groups: ['b'] }, { oidc_blocked_groups: 'x' }, undefined],
    [{}, { oidc_blocked_groups: 'x' }, 'groups_absent'],
    [{ groups: 7 }, { oidc_blocked_groups: 'x' }, 'groups_malformed'],
  ])('of %j with %j: %s', (claims, change, expected) => {
    expect(admissionFaultOf(person(claims, change), settings(change))).toBe(expected);
  });
});

describe('the issuer', () => {
  it.each([
    [{ oidc_discovery_url: 'https://idp.example.org' }, 'https://idp.example.org'],
    [{ oidc_discovery_url: 'https://idp.example.org/t/.well-known/openid-configuration' }, 'https://idp.example.org/t'],
    [{ oidc_server_url: 'https://idp.example.org/', oidc_realm: 'a b' }, 'https://idp.example.org/realms/a%20b'],
    [{ oidc_server_url: 'https://idp.example.org/' }, 'https://idp.example.org'],
    [
      { oidc_discovery_url: 'https://one.example.org', oidc_server_url: 'https://two.example.org' },
      'https://one.example.org',
    ],
    [{}, ''],
  ])('of %j is %j', (change, expected) => {
    expect(issuerOf(settings(change))).toBe(expected);
  });
  it('requires client and callback', () => {
    const whole = { oidc_discovery_url: 'https://i', oidc_client_id: 'c', oidc_callback_url: 'https://o/login' };
    expect(missingSetting(settings(whole))).toBeUndefined();
    for (const key of ['oidc_discovery_url', 'oidc_client_id', 'oidc_callback_url'] as const)
      expect(missingSetting(settings({ ...whole, [key]: '' }))).toBe(key);
  });
});
