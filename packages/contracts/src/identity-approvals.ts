import { z } from 'zod';
import { pageOf, pageQuery, routesOf, text, time } from './http.ts';
import { approvalStatuses } from './identity-objects.ts';
import { adminUserObject } from './identity-users.ts';

const route = routesOf('identity');

const decision = z.object({
  uuid: z.uuid(),
  email: z.string(),
  approval_status: z.enum(approvalStatuses),
  approved_at: time.nullable(),
  approved_by: z.uuid().nullable(),
});

export const approvalRoutes = {
  approvals: route('GET', '/api/admin/user-approvals', 'admin', {
    summary: 'Accounts that wait for release, oldest first',
    query: z.object(pageQuery),
    answer: pageOf(adminUserObject),
  }),
  approveUser: route('POST', '/api/admin/user-approvals/{uuid}/approve', 'admin', {
    summary: 'Release an account',
    answer: decision,
    errors: ['account_out_of_reach', 'approval_not_pending'],
  }),
  rejectUser: route('POST', '/api/admin/user-approvals/{uuid}/reject', 'admin', {
    summary: 'Refuse an account and end its sessions; the account stays',
    body: z.object({ reason: text(500).optional() }).optional(),
    answer: decision,
    errors: ['account_out_of_reach', 'approval_not_pending', 'own_account', 'last_super_admin'],
  }),
};
