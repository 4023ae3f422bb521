import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AuthCategory, SignInSource as Source } from '@overtone/contracts';
import { ask, type IdentityAnswer } from '../../api/identity.ts';

export type { SignInSource as Source } from '@overtone/contracts';
export type Mapping = IdentityAnswer<'mappings'>[number];
export type ConfigChange = IdentityAnswer<'authConfigAudit'>[number];

export const configQuery = queryOptions({
  queryKey: ['auth-config'],
  queryFn: ({ signal }) => ask('authConfig', { signal }),
  // A form under one's hands must not change by itself.
  refetchOnWindowFocus: false,
});

const historyPage = 20;
export const historyQuery = (category: AuthCategory) =>
  infiniteQueryOptions({
    queryKey: ['auth-config', 'history', category],
    queryFn: ({ signal, pageParam }) =>
      ask('authConfigAudit', { signal, params: { category }, query: { limit: historyPage, offset: pageParam } }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < historyPage ? undefined : pages.length * historyPage),
  });

export const mappingsQuery = queryOptions({
  queryKey: ['mappings'],
  queryFn: ({ signal }) => ask('mappings', { signal }),
});

/** Live sessions of the accounts of a source. */
export const sourceSessionsQuery = (category: Source) =>
  queryOptions({
    queryKey: ['source-sessions', category],
    queryFn: ({ signal }) => ask('sourceSessions', { signal, params: { category } }),
  });
