import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../../api/client.ts';

export type ErasurePreview = ResponseBody<'GET /api/admin/users/{uuid}/erasure'>;
export type ErasureObject = ResponseBody<'GET /api/admin/erasures'>['items'][number];

export const erasurePageSize = 10;

export function erasurePreviewQuery(uuid: string) {
  return queryOptions({
    queryKey: ['erasure-preview', uuid],
    queryFn: ({ signal }) => call('GET /api/admin/users/{uuid}/erasure', { params: { uuid }, signal }),
    staleTime: 0,
  });
}

export function erasuresQuery(page: number) {
  return queryOptions({
    queryKey: ['erasures', page],
    queryFn: ({ signal }) => call('GET /api/admin/erasures', { signal, query: { page, page_size: erasurePageSize } }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(({ status }) => status === 'running') ? 2_000 : 30_000),
  });
}
