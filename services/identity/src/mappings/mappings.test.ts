import { describe, expect, it } from '@jest/globals';
import { checkMapping, createWarnings } from './mappings.ts';

describe('a mapping before it is stored', () => {
  it.each(['super_admin', 'root', '', 'Admin'])(
    'grants_role above admin is rejected by the service: %j',
    (grantsRole) => {
      expect(() => checkMapping({ groupId: 'g', grantsRole })).toThrow(
        expect.objectContaining({ kind: 'invalid', code: 'mapping_role_refused' }),
      );
    },
  );

  it('with neither group nor role is rejected by the service', () => {
    expect(() => checkMapping({ groupId: null, grantsRole: null })).toThrow(
      'A mapping must set group_uuid, grants_role, or both',
    );
  });

  it.each([
    { groupId: 'g', grantsRole: null },
    { groupId: null, grantsRole: 'user' },
    { groupId: 'g', grantsRole: 'admin' },
  ])('may give %j', (mapping) => {
    expect(() => checkMapping(mapping)).not.toThrow();
  });
});

describe('the warning', () => {
  const [answer, other, candidate] = [
    { id: '1', source: 'ldap', claimValue: 'cn=a,dc=x' },
    { id: '2', source: 'ldap', claimValue: 'CN=A, DC=X' },
    { id: '3', source: 'oidc', claimValue: 'cn=a,dc=x' },
  ] as const;

  it('names other spellings of the same directory name', () => {
    const warningOf = createWarnings([answer, other, candidate]);
    expect(warningOf(answer)).toContain('"CN=A, DC=X"');
    expect(warningOf(other)).toContain('"cn=a,dc=x"');
  });

  it('is given for a claim of the directory that is no distinguished name', () => {
    const text = { id: '4', source: 'ldap', claimValue: 'Staff' };
    expect(createWarnings([text])(text)).toContain('not a distinguished name');
    expect(createWarnings([])({ ...text, source: 'oidc' })).toBeNull();
  });

  it('is not given for claims that are compared verbatim, nor for itself', () => {
    expect(createWarnings([answer, other, candidate])(candidate)).toBeNull();
    expect(createWarnings([answer, candidate])(answer)).toBeNull();
  });
});
