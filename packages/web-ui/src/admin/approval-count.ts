import { queryOptions } from '@tanstack/react-query';
import { callRoute } from '../api/client.ts';
import type { IdentityAnswer } from '../api/identity.ts';

/** How many accounts wait for release. On every page, so the route stands here and its list stays where it is. */
export const waitingQuery = queryOptions({
  queryKey: ['approvals', 'count'],
  queryFn: async ({ signal }) =>
    (
      await callRoute<IdentityAnswer<'approvals'>>(['GET', '/api/admin/user-approvals'], {
        signal,
        query: { page: 1, page_size: 1 },
      })
    ).total,
  refetchInterval: 60_000,
});
