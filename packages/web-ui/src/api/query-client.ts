import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, codeOf, isOutage } from './problem.ts';

/** Outages are worth another try, refusals are not. */
export const createQueryClient = (): QueryClient => {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      // The state of the account changed meanwhile: who one is says so, and the page follows.
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
        // A request is tried even when the browser believes itself offline: the server may be on this machine.
        networkMode: 'always',
        // Off by default with that mode.
        refetchOnReconnect: true,
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
};
