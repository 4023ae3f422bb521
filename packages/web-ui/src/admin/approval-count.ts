import { queryOptions } from '@tanstack/react-query';
import { callRoute } from '../api/client.ts';
import type { IdentityResponse } from '../api/identity.ts';

/** The number of accounts awaiting approval. Every page shows it, so its route is not in the list of the other routes. */
export const pendingApprovalsQuery = queryOptions({
  queryKey: ['approvals', 'count'],
  queryFn: async ({ signal }) =>
    (
      await callRoute<IdentityResponse<'approvals'>>(['GET', '/api/admin/user-approvals'], {
        signal,
        query: { page: 1, page_size: 1 },
      })
    ).total,
  refetchInterval: 60_000,
});
