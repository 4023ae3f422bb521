import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.ts';

/** The number of accounts awaiting approval, shown on every page. */
export const pendingApprovalsQuery = queryOptions({
  queryKey: ['approvals', 'count'],
  queryFn: async ({ signal }) => {
    const approvals = await call('GET /api/admin/user-approvals', { signal, query: { page: 1, page_size: 1 } });
    return approvals.total;
  },
  refetchInterval: 60_000,
});
