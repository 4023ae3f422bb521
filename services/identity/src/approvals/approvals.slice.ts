import { approvalRoutes, type AnswerOf } from '@overtone/contracts';
import { handle, type Slice } from '@overtone/service-kit';
import type { User } from '../generated/client.ts';
import { toAdminUserObject, requestContextOf } from '../users/users.ts';
import { createApprovals } from './approvals.service.ts';

type Decision = AnswerOf<typeof approvalRoutes.approveUser>;

/** The queue of accounts that wait for an administrator. */
export function createApprovalsSlice(deps: Parameters<typeof createApprovals>[0]): Slice {
  const approvals = createApprovals(deps);
  const routes = [
    handle(approvalRoutes.approvals, async (r) => {
      const { page, page_size } = r.query;
      const { users, total } = await approvals.waiting(page, page_size);
      return { items: users.map((u) => toAdminUserObject(u)), total, page, page_size };
    }),
    handle(approvalRoutes.approveUser, async (r) =>
      toDecision(await approvals.approve(r.params.uuid, requestContextOf(r))),
    ),
    handle(approvalRoutes.rejectUser, async (r) =>
      toDecision(await approvals.reject(r.params.uuid, r.body?.reason ?? '', requestContextOf(r))),
    ),
  ];
  return { routes };
}

function toDecision(u: User): Decision {
  return {
    uuid: u.id,
    email: u.email,
    approval_status: u.approvalStatus as Decision['approval_status'],
    approved_at: u.approvedAt?.toISOString() ?? null,
    approved_by: u.approvedBy,
  };
}
