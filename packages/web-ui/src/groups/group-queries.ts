import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ask, type IdentityAnswer } from '../api/identity.ts';

export type GroupItem = IdentityAnswer<'groups'>[number];
export type GroupDetail = IdentityAnswer<'group'>;
export type Member = GroupDetail['members'][number];

export const groupsQuery = (q: string) =>
  queryOptions({
    queryKey: ['groups', q],
    queryFn: ({ signal }) => ask('groups', { signal, query: { q } }),
    placeholderData: keepPreviousData,
  });

export const groupQuery = (uuid: string) =>
  queryOptions({ queryKey: ['group', uuid], queryFn: ({ signal }) => ask('group', { params: { uuid }, signal }) });
