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
    handle(approvalRoutes.approvals, async (request) => {
      const { page, page_size } = request.query;
      const { users, total } = await approvals.waiting(page, page_size);
      return { items: users.map((user) => toAdminUserObject(user)), total, page, page_size };
    }),
    handle(approvalRoutes.approveUser, async (request) =>
      toDecision(await approvals.approve(request.params.uuid, requestContextOf(request))),
    ),
    handle(approvalRoutes.rejectUser, async (request) =>
      toDecision(await approvals.reject(request.params.uuid, request.body?.reason ?? '', requestContextOf(request))),
    ),
  ];
  return { routes };
}

function toDecision(user: User): Decision {
  return {
    uuid: user.id,
    email: user.email,
    approval_status: user.approvalStatus as Decision['approval_status'],
    approved_at: user.approvedAt?.toISOString() ?? null,
    approved_by: user.approvedBy,
  };
}
