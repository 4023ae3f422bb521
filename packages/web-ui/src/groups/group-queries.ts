import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';

export type GroupItem = ResponseBody<'GET /api/groups'>[number];
export type GroupDetail = ResponseBody<'GET /api/groups/{uuid}'>;
export type Member = GroupDetail['members'][number];

export function groupsQuery(text: string) {
  return queryOptions({
    queryKey: ['groups', text],
    queryFn: ({ signal }) => call('GET /api/groups', { signal, query: { q: text } }),
    placeholderData: keepPreviousData,
  });
}

export function groupQuery(uuid: string) {
  return queryOptions({
    queryKey: ['group', uuid],
    queryFn: ({ signal }) => call('GET /api/groups/{uuid}', { params: { uuid }, signal }),
  });
}
