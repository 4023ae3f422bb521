import { queryOptions } from '@tanstack/react-query';
import type { RequestBody, ResponseBody } from '@overtone/client';
import { call } from '../../api/client.ts';

export type ReindexStatus = ResponseBody<'GET /api/search/reindex/status'>;
export type ReindexStart = ResponseBody<'POST /api/search/reindex'>;
export type Comparison = Pick<
  ResponseBody<'GET /api/search/consistency'>,
  'total_files' | 'missing' | 'stale' | 'extra' | 'waiting_files' | 'unchanged_files'
>;
export type ReindexBody = NonNullable<RequestBody<'POST /api/search/reindex'>>;

export const reindexStatusQuery = queryOptions({
  queryKey: ['reindex'],
  queryFn: ({ signal }) => call('GET /api/search/reindex/status', { signal }),
  refetchInterval: ({ state }) => (state.data?.in_progress ? 1_500 : 15_000),
});
