import type { AuditErrorCode } from '../audit/audit.ts';

type Lifecycle = { isActive: boolean; approvalStatus: string };

/**
 * Why an account whose owner has proved who they are does not get a session; null: it does. Waiting and rejected accounts
 * are refused in the words of a wrong password, a disabled one is told so. What else may hold an account up (an old
 * password, an end date) the session itself says at every request.
 */
export const standingOf = (user: Lifecycle): AuditErrorCode | null => {
  if (!user.isActive) return 'INACTIVE_USER';
  if (user.approvalStatus === 'approved') return null;
  return user.approvalStatus === 'rejected' ? 'ACCOUNT_REJECTED' : 'ACCOUNT_PENDING_APPROVAL';
};
