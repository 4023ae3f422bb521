import { queryOptions } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';

export type Methods = ResponseBody<'GET /api/auth/methods'>;
export const methodsQuery = queryOptions({
  queryKey: ['public', 'methods'],
  queryFn: ({ signal }) => call('GET /api/auth/methods', { signal }),
  staleTime: 30_000,
});
