import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '@overtone/client';
import { codeOf, isOutage } from './problem.ts';

/** A failure that took longer was a timeout: the platform has already waited for the part that does not respond. */
const maxWaitBeforeRetryMs = 1_000;
const maxRetries = 2;

/** Whether a query is repeated before its failure is shown: after a short outage, such as a restart. */
export function shouldRetry(failures: number, error: unknown): boolean {
  if (failures >= maxRetries || !isOutage(error)) return false;
  return !(error instanceof ApiError) || (error.status !== 429 && error.waitedMs < maxWaitBeforeRetryMs);
}

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
        retry: shouldRetry,
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
