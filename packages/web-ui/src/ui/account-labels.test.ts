import { expect, it } from '@jest/globals';
import { accountStatusOf, nameOf, type Account } from './account-labels.ts';

const now = new Date('2026-11-21T12:00:00Z');
const good = {
  is_active: true,
  approval_status: 'approved',
  account_expires_at: null,
  locked_until: null,
  disabled_by: null,
} as Account;

it.each([
  [{}, 'active'],
  [{ is_active: false, disabled_by: 'directory' }, 'disabled by directory'],
  [{ is_active: false, disabled_by: 'administrator', approval_status: 'pending' }, 'disabled'],
  [{ approval_status: 'pending' }, 'awaiting approval'],
  [{ approval_status: 'rejected' }, 'rejected'],
  [{ account_expires_at: '2026-11-01T00:00:00Z' }, 'expired'],
  [{ locked_until: '2026-11-21T12:10:00Z' }, 'locked'],
  [{ locked_until: '2026-11-21T11:00:00Z' }, 'active'],
] as const)('labels an account with %p as %p', (change, label) =>
  expect(accountStatusOf({ ...good, ...change }, now).label).toBe(label),
);
it('uses the e-mail address as the name of an account without a name', () =>
  expect(nameOf({ full_name: '', email: 'a@example.org' })).toBe('a@example.org'));
