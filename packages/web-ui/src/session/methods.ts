import { queryOptions } from '@tanstack/react-query';
import { ask, type IdentityAnswer } from '../api/identity.ts';

export type Methods = IdentityAnswer<'methods'>;
export const methodsQuery = queryOptions({
  queryKey: ['public', 'methods'],
  queryFn: ({ signal }) => ask('methods', { signal }),
  staleTime: 30_000,
});
