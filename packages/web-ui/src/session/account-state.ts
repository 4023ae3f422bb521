import type { User } from '../api/queries.ts';

export type AccountState = 'account_pending_approval' | 'account_rejected' | 'account_disabled' | 'account_expired';

/** The state that prevents the use of an account; null for a usable account. */
export function accountState(me: User, now: Date = new Date()): AccountState | null {
  if (!me.is_active) return 'account_disabled';
  if (me.approval_status === 'pending') return 'account_pending_approval';
  if (me.approval_status === 'rejected') return 'account_rejected';
  if (me.account_expires_at !== null && new Date(me.account_expires_at) <= now) return 'account_expired';
  return null;
}
