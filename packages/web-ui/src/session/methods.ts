import { queryOptions } from '@tanstack/react-query';
import { callIdentity, type IdentityResponse } from '../api/identity.ts';

export type Methods = IdentityResponse<'methods'>;
export const methodsQuery = queryOptions({
  queryKey: ['public', 'methods'],
  queryFn: ({ signal }) => callIdentity('methods', { signal }),
  staleTime: 30_000,
});
