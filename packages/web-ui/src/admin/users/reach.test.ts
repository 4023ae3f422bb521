import { describe, expect, it } from '@jest/globals';
import type { User } from '../../api/queries.ts';
import type { Account } from '../words.ts';
import { reachOf } from './reach.ts';

const me = (role: User['role']) => ({ uuid: 'me', role }) as User;
const account = (role: Account['role'], auth_type: Account['auth_type'] = 'local', uuid = 'other') =>
  ({ uuid, role, auth_type }) as Account;

describe('reachOf', () => {
  it('lets nobody change their own account here', () =>
    expect(reachOf(me('super_admin'), account('super_admin', 'local', 'me'))).toMatchObject({
      self: true,
      edit: false,
      role: false,
      resetPassword: false,
    }));
  it('keeps accounts above the own role out of reach', () =>
    expect(reachOf(me('admin'), account('super_admin')).edit).toBe(false));
  it('offers a change of role to a super administrator only', () =>
    expect([reachOf(me('admin'), account('user')).role, reachOf(me('super_admin'), account('user')).role]).toEqual([
      false,
      true,
    ]));
  it('offers an admin a new password for accounts of users only', () =>
    expect(
      (['user', 'admin', 'super_admin'] as const).map((r) => reachOf(me('admin'), account(r)).resetPassword),
    ).toEqual([true, false, false]));
  it.each(['ldap', 'oidc', 'pki', 'proxy'] as const)('offers no password for an account from %s', (origin) => {
    const reach = reachOf(me('super_admin'), account('user', origin));
    expect(reach.resetPassword).toBe(false);
    expect(reach.why).toContain('password');
  });
  it('has nothing to explain of a local account', () =>
    expect(reachOf(me('super_admin'), account('user'))).toEqual({
      certificate: true,
      self: false,
      edit: true,
      role: true,
      resetPassword: true,
      why: null,
    }));
});
