import type { User } from '../api/queries.ts';

export type AccountState = 'account_pending_approval' | 'account_rejected' | 'account_disabled' | 'account_expired';

/** What keeps an account out of everything but itself; null: nothing. */
export const accountState = (me: User, now: Date = new Date()): AccountState | null => {
  if (!me.is_active) return 'account_disabled';
  if (me.approval_status === 'pending') return 'account_pending_approval';
  if (me.approval_status === 'rejected') return 'account_rejected';
  if (me.account_expires_at !== null && new Date(me.account_expires_at) <= now) return 'account_expired';
  return null;
};
