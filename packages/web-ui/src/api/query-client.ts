import { QueryClient } from '@tanstack/react-query';
import { ApiError, isOutage } from './problem.ts';

/** Outages are worth another try, refusals are not. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) =>
          failures < 2 && isOutage(error) && !(error instanceof ApiError && error.status === 429),
        retryDelay: (attempt) => 400 * 2 ** attempt,
        // A request is tried even when the browser believes itself offline: the server may be on this machine.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
