import { describe, expect, it } from '@jest/globals';
import { groupsFor, isPageOf, mayOpen } from './navigation.ts';

function pagesOf(role: 'admin' | 'super_admin') {
  return groupsFor(role).flatMap(({ pages }) => pages);
}

describe('the navigation of the administration', () => {
  it('has six groups for a super administrator, each page once', () => {
    expect(groupsFor('super_admin').map(({ label }) => label)).toEqual([
      'People',
      'Sign-in',
      'Speech',
      'Storage',
      'Privacy',
      'Operations',
    ]);
    const addresses = pagesOf('super_admin').map(({ to }) => to);
    expect(new Set(addresses).size).toBe(addresses.length);
  });
  it('has no group larger than eight entries', () => {
    for (const { pages } of groupsFor('super_admin')) expect(pages.length).toBeLessThanOrEqual(8);
  });
  it('shows an administrator only pages that they may open, and no empty group', () => {
    for (const { to } of pagesOf('admin')) expect(mayOpen('admin', to)).toBe(true);
    expect(groupsFor('admin').map(({ name }) => name)).not.toContain('sign-in');
  });
  it.each([
    ['admin', '/admin/backups', false],
    ['admin', '/admin/authentication/ldap', false],
    ['admin', '/admin/users/1', true],
    ['admin', '/admin/overview', true],
    ['user', '/groups', true],
    ['user', '/admin', false],
  ] as const)('lets %s open %s: %p', (role, path, may) => expect(mayOpen(role, path)).toBe(may));
  it('marks one page for each address', () => {
    for (const path of ['/admin', '/admin/engine', '/admin/asr', '/groups/1', '/admin/directory-sync/passes/1'])
      expect(pagesOf('super_admin').filter((page) => isPageOf(page, path))).toHaveLength(1);
  });
});
