import { msg } from '@lingui/core/macro';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { translateOnRead } from '../../lib/language.ts';
import { call } from '../../api/client.ts';

export const userPageSize = 20;
type Filters = Readonly<Record<string, string>>;

/** The filter values for the state of an account, each with its query of the API. */
export const states: Readonly<Record<string, { label: string; query: Record<string, string> }>> = translateOnRead({
  active: { label: msg`Active`, query: { is_active: 'true', approval_status: 'approved' } },
  disabled: { label: msg`Disabled`, query: { is_active: 'false' } },
  locked: { label: msg`Locked`, query: { locked: 'true' } },
  pending: { label: msg`Awaiting approval`, query: { approval_status: 'pending' } },
  rejected: { label: msg`Rejected`, query: { approval_status: 'rejected' } },
});

export function usersQuery(filters: Filters) {
  return queryOptions({
    queryKey: ['users', filters],
    queryFn: ({ signal }) =>
      call('GET /api/admin/users', {
        signal,
        query: {
          q: filters['q'],
          role: filters['role'],
          auth_type: filters['origin'],
          ...states[filters['state'] ?? '']?.query,
          sort_by: filters['sort'],
          sort_order: filters['order'],
          page: filters['page'],
          page_size: userPageSize,
        },
      }),
    placeholderData: keepPreviousData,
  });
}

export function userQuery(uuid: string) {
  return queryOptions({
    queryKey: ['user', uuid],
    queryFn: ({ signal }) => call('GET /api/users/{uuid}', { params: { uuid }, signal }),
  });
}

export function userSessionsQuery(uuid: string) {
  return queryOptions({
    queryKey: ['user', uuid, 'sessions'],
    queryFn: ({ signal }) => call('GET /api/admin/users/{uuid}/sessions', { params: { uuid }, signal }),
  });
}

export function approvalsQuery(page: number) {
  return queryOptions({
    queryKey: ['approvals', page],
    queryFn: ({ signal }) =>
      call('GET /api/admin/user-approvals', { signal, query: { page, page_size: userPageSize } }),
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  });
}
