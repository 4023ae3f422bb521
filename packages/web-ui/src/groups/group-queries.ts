import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { callIdentity, type IdentityResponse } from '../api/identity.ts';

export type GroupItem = IdentityResponse<'groups'>[number];
export type GroupDetail = IdentityResponse<'group'>;
export type Member = GroupDetail['members'][number];

export function groupsQuery(q: string) {
  return queryOptions({
    queryKey: ['groups', q],
    queryFn: ({ signal }) => callIdentity('groups', { signal, query: { q } }),
    placeholderData: keepPreviousData,
  });
}

export function groupQuery(uuid: string) {
  return queryOptions({
    queryKey: ['group', uuid],
    queryFn: ({ signal }) => callIdentity('group', { params: { uuid }, signal }),
  });
}
