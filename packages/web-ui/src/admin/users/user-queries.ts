import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ask } from '../../api/identity.ts';

export const userPageSize = 20;
type Filters = Readonly<Record<string, string>>;

/** States of accounts as one choice; each is a filter of the API. */
export const states: Readonly<Record<string, { label: string; query: Record<string, string> }>> = {
  active: { label: 'Active', query: { is_active: 'true', approval_status: 'approved' } },
  disabled: { label: 'Disabled', query: { is_active: 'false' } },
  locked: { label: 'Locked', query: { locked: 'true' } },
  pending: { label: 'Waiting for approval', query: { approval_status: 'pending' } },
  rejected: { label: 'Rejected', query: { approval_status: 'rejected' } },
};

export const usersQuery = (f: Filters) =>
  queryOptions({
    queryKey: ['users', f],
    queryFn: ({ signal }) =>
      ask('users', {
        signal,
        query: {
          q: f['q'],
          role: f['role'],
          auth_type: f['origin'],
          ...states[f['state'] ?? '']?.query,
          sort_by: f['sort'],
          sort_order: f['order'],
          page: f['page'],
          page_size: userPageSize,
        },
      }),
    placeholderData: keepPreviousData,
  });

export const userQuery = (uuid: string) =>
  queryOptions({ queryKey: ['user', uuid], queryFn: ({ signal }) => ask('user', { params: { uuid }, signal }) });

export const userSessionsQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['user', uuid, 'sessions'],
    queryFn: ({ signal }) => ask('userSessions', { params: { uuid }, signal }),
  });

export const approvalsQuery = (page: number) =>
  queryOptions({
    queryKey: ['approvals', page],
    queryFn: ({ signal }) => ask('approvals', { signal, query: { page, page_size: userPageSize } }),
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  });
