import type { AuditErrorCode } from '../audit/audit.ts';

type Lifecycle = { isActive: boolean; approvalStatus: string };

/**
 * Why an account gets no session although its owner is verified; null: it does. The response names the state (ADR 0006).
 * An outdated password or an end date does not prevent the sign-in: the session is refused at each request.
 */
export function statusFaultOf(user: Lifecycle): AuditErrorCode | null {
  if (!user.isActive) return 'INACTIVE_USER';
  if (user.approvalStatus === 'approved') return null;
  return user.approvalStatus === 'rejected' ? 'ACCOUNT_REJECTED' : 'ACCOUNT_PENDING_APPROVAL';
}
