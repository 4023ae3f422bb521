import type { AuditErrorCode } from '../audit/audit.ts';

type Lifecycle = { isActive: boolean; approvalStatus: string };

/**
 * Why an account whose owner is verified does not get a session; null: it does. The answer names the state (ADR 0006).
 * What else may hold an account up (an old password, an end date) the session itself answers at every request.
 */
export const standingOf = (user: Lifecycle): AuditErrorCode | null => {
  if (!user.isActive) return 'INACTIVE_USER';
  if (user.approvalStatus === 'approved') return null;
  return user.approvalStatus === 'rejected' ? 'ACCOUNT_REJECTED' : 'ACCOUNT_PENDING_APPROVAL';
};
