import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AuthCategory, SignInSource as Source } from '@overtone/contracts';
import { callIdentity, type IdentityResponse } from '../../api/identity.ts';

export type { SignInSource as Source } from '@overtone/contracts';
export type Mapping = IdentityResponse<'mappings'>[number];
export type ConfigChange = IdentityResponse<'authConfigAudit'>[number];

export const configQuery = queryOptions({
  queryKey: ['auth-config'],
  queryFn: ({ signal }) => callIdentity('authConfig', { signal }),
  // The values of an open form must not change.
  refetchOnWindowFocus: false,
});

const historyPage = 20;

export function historyQuery(category: AuthCategory) {
  return infiniteQueryOptions({
    queryKey: ['auth-config', 'history', category],
    queryFn: ({ signal, pageParam }) =>
      callIdentity('authConfigAudit', {
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
  queryFn: ({ signal }) => callIdentity('mappings', { signal }),
});

/** The current sessions of the accounts of a source. */
export function sourceSessionsQuery(category: Source) {
  return queryOptions({
    queryKey: ['source-sessions', category],
    queryFn: ({ signal }) => callIdentity('sourceSessions', { signal, params: { category } }),
  });
}
