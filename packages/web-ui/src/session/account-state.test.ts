import { expect, it } from '@jest/globals';
import type { User } from '../api/queries.ts';
import { accountState } from './account-state.ts';

const now = new Date('2026-11-21T12:00:00Z');
const good = { is_active: true, approval_status: 'approved', account_expires_at: null } as User;

it.each([
  [{}, null],
  [{ approval_status: 'pending' }, 'account_pending_approval'],
  [{ approval_status: 'rejected' }, 'account_rejected'],
  [{ is_active: false, approval_status: 'pending' }, 'account_disabled'],
  [{ account_expires_at: '2026-11-21T11:59:59Z' }, 'account_expired'],
  [{ account_expires_at: '2026-11-22T00:00:00Z' }, null],
] as const)('returns for an account with %p the state %p', (change, state) =>
  expect(accountState({ ...good, ...change }, now)).toBe(state),
);
