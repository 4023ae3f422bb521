import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { callIdentity, type IdentityResponse } from '../api/identity.ts';

export type GroupItem = IdentityResponse<'groups'>[number];
export type GroupDetail = IdentityResponse<'group'>;
export type Member = GroupDetail['members'][number];

export const groupsQuery = (q: string) =>
  queryOptions({
    queryKey: ['groups', q],
    queryFn: ({ signal }) => callIdentity('groups', { signal, query: { q } }),
    placeholderData: keepPreviousData,
  });

export const groupQuery = (uuid: string) =>
  queryOptions({ queryKey: ['group', uuid], queryFn: ({ signal }) => callIdentity('group', { params: { uuid }, signal }) });
