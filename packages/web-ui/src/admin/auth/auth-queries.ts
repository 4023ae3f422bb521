import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import type { AuthCategory, SignInSource as Source } from '@overtone/contracts';
import { call } from '../../api/client.ts';

export type { SignInSource as Source } from '@overtone/contracts';
export type Mapping = ResponseBody<'GET /api/admin/group-mappings'>[number];
export type ConfigChange = ResponseBody<'GET /api/admin/auth-config/audit/{category}'>[number];

export const configQuery = queryOptions({
  queryKey: ['auth-config'],
  queryFn: ({ signal }) => call('GET /api/admin/auth-config', { signal }),
  // The values of an open form must not change.
  refetchOnWindowFocus: false,
});

/** The issuers that accounts are linked to. */
export const issuersQuery = queryOptions({
  queryKey: ['auth-config', 'issuers'],
  queryFn: ({ signal }) => call('GET /api/admin/auth-config/oidc/issuers', { signal }),
});

const historyPage = 20;

export function historyQuery(category: AuthCategory) {
  return infiniteQueryOptions({
    queryKey: ['auth-config', 'history', category],
    queryFn: ({ signal, pageParam }) =>
      call('GET /api/admin/auth-config/audit/{category}', {
        signal,
        params: { category },
        query: { limit: historyPage, offset: pageParam },
      }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < historyPage ? undefined : pages.length * historyPage),
  });
}

export const mappingsQuery = queryOptions({
  queryKey: ['mappings'],
  queryFn: ({ signal }) => call('GET /api/admin/group-mappings', { signal }),
});

/** The current sessions of the accounts of a source. */
export function sourceSessionsQuery(category: Source) {
  return queryOptions({
    queryKey: ['source-sessions', category],
    queryFn: ({ signal }) => call('GET /api/admin/auth-config/{category}/sessions', { signal, params: { category } }),
  });
}
