import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { RequestBody, ResponseBody } from '@overtone/client';
import { call } from '../../api/client.ts';

export type WatchSource = ResponseBody<'GET /api/admin/watch-sources'>['items'][number];
export type WatchDecision = ResponseBody<'GET /api/admin/watch-sources/{uuid}/decisions'>['items'][number];
export type WatchTest = ResponseBody<'POST /api/admin/watch-sources/test'>;
export type WatchBody = RequestBody<'POST /api/admin/watch-sources'>;
/** What the form edits; a typed secret key is kept apart from it. */
export type WatchFields = Omit<WatchBody, 's3_secret_key'>;

export const pageSize = 20;
const refetchMs = 3_000;

export const watchSourcesQuery = queryOptions({
  queryKey: ['watch-sources', 'list'],
  queryFn: ({ signal }) => call('GET /api/admin/watch-sources', { signal }),
  refetchInterval: refetchMs,
});

type Filter = { page: number; decision: WatchDecision['decision'] | undefined; search: string };

export function watchDecisionsQuery(uuid: string, { page, decision, search }: Filter) {
  return queryOptions({
    queryKey: ['watch-sources', 'decisions', uuid, page, decision, search],
    queryFn: ({ signal }) =>
      call('GET /api/admin/watch-sources/{uuid}/decisions', {
        signal,
        params: { uuid },
        query: {
          page,
          page_size: pageSize,
          ...(decision ? { decision } : {}),
          ...(search.trim() === '' ? {} : { search: search.trim() }),
        },
      }),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  });
}
