import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import type { ResponseBody } from '../api/routes.ts';

export type Methods = ResponseBody<'GET /api/auth/methods'>;
export const methodsQuery = queryOptions({
  queryKey: ['public', 'methods'],
  queryFn: ({ signal }) => call('GET /api/auth/methods', { signal }),
  staleTime: 30_000,
});
