import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, codeOf, isOutage } from './problem.ts';

/** Retries outages, but not requests that the API refused. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      // The state of the account has changed: the reloaded user leads to the right page.
      onError: (error) => {
        if (/^(account_|password_change_required)/.test(codeOf(error) ?? ''))
          void client.invalidateQueries({ queryKey: ['me'] });
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) =>
          failures < 2 && isOutage(error) && !(error instanceof ApiError && error.status === 429),
        retryDelay: (attempt) => 400 * 2 ** attempt,
        // The browser may report to be offline although the server runs on this computer.
        networkMode: 'always',
        // The network mode `always` turns this off by default.
        refetchOnReconnect: true,
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}
