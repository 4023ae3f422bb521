import { describe, expect, it } from '@jest/globals';
import type { User } from '../../api/queries.ts';
import type { Account } from '../../ui/account-labels.ts';
import { permissionsOf } from './account-permissions.ts';

function me(role: User['role']) {
  return { uuid: 'me', role } as User;
}

function account(role: Account['role'], auth_type: Account['auth_type'] = 'local', uuid = 'other') {
  return { uuid, role, auth_type } as Account;
}

describe('permissionsOf', () => {
  it('does not let administrators change their own account', () =>
    expect(permissionsOf(me('super_admin'), account('super_admin', 'local', 'me'))).toMatchObject({
      self: true,
      edit: false,
      role: false,
      resetPassword: false,
    }));
  it('does not let administrators edit accounts with a higher role', () =>
    expect(permissionsOf(me('admin'), account('super_admin')).edit).toBe(false));
  it('lets only a super administrator change roles', () =>
    expect([
      permissionsOf(me('admin'), account('user')).role,
      permissionsOf(me('super_admin'), account('user')).role,
    ]).toEqual([false, true]));
  it('lets an administrator reset only passwords of users', () =>
    expect(
      (['user', 'admin', 'super_admin'] as const).map(
        (role) => permissionsOf(me('admin'), account(role)).resetPassword,
      ),
    ).toEqual([true, false, false]));
  it.each(['ldap', 'oidc', 'pki', 'proxy'] as const)('offers no password reset for an account from %s', (origin) => {
    const permissions = permissionsOf(me('super_admin'), account('user', origin));
    expect(permissions.resetPassword).toBe(false);
    expect(permissions.limitation).toContain('password');
  });
  it('reports no limitation for a local account', () =>
    expect(permissionsOf(me('super_admin'), account('user'))).toEqual({
      certificate: true,
      self: false,
      edit: true,
      role: true,
      resetPassword: true,
      limitation: null,
    }));
});
