import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';
import { libraryPageSize } from '../api/queries.ts';

export type Collection = ResponseBody<'GET /api/collections/{uuid}'>;
export type CollectionFile = ResponseBody<'GET /api/collections/{uuid}/media'>['items'][number];

export type CollectionFilters = {
  readonly search?: string;
  readonly ownership?: 'mine' | 'shared';
  /** Only collections with this file. */
  readonly file?: string;
  readonly page: number;
  readonly size?: number;
};
export const collectionsPageSize = 20;

export function collectionsQuery({ search, ownership, file, page, size = collectionsPageSize }: CollectionFilters) {
  return queryOptions({
    queryKey: ['collections', { search, ownership, file, page, size }],
    queryFn: ({ signal }) =>
      call('GET /api/collections', {
        signal,
        query: { search: search || undefined, ownership, file_uuid: file, page, page_size: size },
      }),
    placeholderData: keepPreviousData,
  });
}

export function collectionQuery(uuid: string) {
  return queryOptions({
    queryKey: ['collections', 'one', uuid],
    queryFn: ({ signal }) => call('GET /api/collections/{uuid}', { params: { uuid }, signal }),
  });
}

export function collectionFilesQuery(uuid: string, page: number) {
  return queryOptions({
    // Below `files`: each event that changes the library refreshes it.
    queryKey: ['files', 'collection', uuid, page],
    queryFn: ({ signal }) =>
      call('GET /api/collections/{uuid}/media', {
        params: { uuid },
        query: { page, page_size: libraryPageSize },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
}

/** After a change of a collection or of its files. */
export async function refreshCollections(client: QueryClient): Promise<void> {
  await Promise.all(['collections', 'files'].map((key) => client.invalidateQueries({ queryKey: [key] })));
}
