import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ApiError, type ResponseBody } from '@overtone/client';
import { transcriptVersions } from '../live/transcript-versions.ts';
import { call } from './client.ts';

export type User = ResponseBody<'GET /api/users/me'>;
export type FileItem = ResponseBody<'GET /api/files'>['items'][number];
export type BinnedFile = ResponseBody<'GET /api/files/bin'>['items'][number];
export type FileDetail = ResponseBody<'GET /api/files/{uuid}'>;
export type Segment = FileDetail['transcript_segments'][number];
export type Speaker = FileDetail['speakers'][number];
export type Timeline = ResponseBody<'GET /api/tasks/files/{uuid}'>;
export type SearchResponse = ResponseBody<'GET /api/search'>;

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => call('GET /api/users/me', { signal }),
  staleTime: 5 * 60_000,
});

export type FileFilters = {
  readonly search?: string;
  readonly ownership?: 'mine' | 'shared';
  readonly status?: readonly string[];
  readonly tag?: readonly string[];
  readonly type?: readonly string[];
  readonly collection?: string;
  readonly from?: string;
  readonly to?: string;
  readonly dateOf?: 'recording';
  readonly sort: string;
  readonly order: 'asc' | 'desc';
  readonly page: number;
};
export const libraryPageSize = 24;

export function filesQuery(filters: FileFilters) {
  return queryOptions({
    queryKey: ['files', filters],
    queryFn: ({ signal }) =>
      call('GET /api/files', {
        signal,
        query: {
          page: filters.page,
          page_size: libraryPageSize,
          search: filters.search,
          ownership: filters.ownership,
          status: filters.status,
          tag: filters.tag,
          file_type: filters.type,
          collection: filters.collection,
          date_of: filters.dateOf,
          from_date: filters.from && new Date(`${filters.from}T00:00:00`).toISOString(),
          to_date: filters.to && new Date(`${filters.to}T23:59:59.999`).toISOString(),
          sort_by: filters.sort,
          sort_order: filters.order,
        },
      }),
    placeholderData: keepPreviousData,
  });
}

export function binQuery(page: number, ownership: 'mine' | 'all') {
  return queryOptions({
    // Below `files`: each event that changes the library refreshes the bin.
    queryKey: ['files', 'bin', ownership, page],
    queryFn: ({ signal }) =>
      call('GET /api/files/bin', { query: { page, page_size: libraryPageSize, ownership }, signal }),
    placeholderData: keepPreviousData,
  });
}

/** The tags of all files of a page, in one request. */
export function tagsOfFilesQuery(uuids: readonly string[]) {
  return queryOptions({
    queryKey: ['tags', 'of-files', uuids],
    queryFn: async ({ signal }) => {
      const { items } = await call('GET /api/tags/files', { query: { file_uuid: uuids }, signal });
      return new Map(items.map(({ file_uuid, tags }) => [file_uuid, tags.map(({ name }) => name)]));
    },
    enabled: uuids.length > 0,
    placeholderData: keepPreviousData,
  });
}

/** The file without its transcript, which is fetched page by page. */
export function fileQuery(uuid: string) {
  return queryOptions({
    queryKey: ['file', uuid],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}', { params: { uuid }, query: { segment_limit: 0 }, signal }),
  });
}

export const segmentPageSize = 500;

export function segmentsQuery(uuid: string, page: number) {
  return queryOptions({
    queryKey: ['segments', uuid, page],
    queryFn: async ({ signal }) => {
      const response = await call('GET /api/files/{uuid}/segments', {
        params: { uuid },
        query: { segment_limit: segmentPageSize, segment_offset: page * segmentPageSize, words: true },
        signal,
      });
      transcriptVersions.recordShown(uuid, response.transcript_version);
      return response;
    },
    // After an insertion every passage would be compared with the one before it.
    structuralSharing: false,
    staleTime: 60_000,
  });
}

/** Null while the file has no pipeline run yet. */
export function timelineQuery(uuid: string) {
  return queryOptions({
    queryKey: ['timeline', uuid],
    queryFn: async ({ signal }) => {
      try {
        return await call('GET /api/tasks/files/{uuid}', { params: { uuid }, signal });
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });
}

export function waveformQuery(uuid: string, samples: number) {
  return queryOptions({
    queryKey: ['waveform', uuid, samples],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}/waveform', { params: { uuid }, query: { samples }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export const tagsQuery = queryOptions({
  queryKey: ['tags'],
  queryFn: ({ signal }) => call('GET /api/tags', { signal }),
  staleTime: 30_000,
});

export const limitsQuery = queryOptions({
  queryKey: ['limits'],
  queryFn: ({ signal }) => call('GET /api/files/upload-limits', { signal }),
  staleTime: 10 * 60_000,
});

export type SearchInput = {
  readonly q: string;
  readonly mode: 'hybrid' | 'keyword' | 'semantic';
  readonly tag?: readonly string[];
  readonly speaker?: readonly string[];
  readonly type?: readonly string[];
  readonly collection?: string;
  readonly from?: string;
  readonly to?: string;
  readonly sort: string;
  readonly exact?: true;
  readonly page: number;
};
export const searchPageSize = 10;

/** Speakers and tags of all recordings that the reader may search. */
export const searchFiltersQuery = queryOptions({
  queryKey: ['search-filters'],
  queryFn: ({ signal }) => call('GET /api/search/filters', { signal }),
});

/** The words, filters and order of a search as the API takes them. */
export function searchedBy(input: Omit<SearchInput, 'page'>) {
  return {
    q: input.q,
    search_mode: input.mode,
    tags: input.tag,
    speakers: input.speaker,
    file_type: input.type,
    collection: input.collection,
    date_from: input.from && new Date(`${input.from}T00:00:00`).toISOString(),
    date_to: input.to && new Date(`${input.to}T23:59:59.999`).toISOString(),
    sort_by: input.sort,
    sort_order: input.sort === 'title' ? 'asc' : undefined,
    exact: input.exact,
  };
}

export function searchQuery(input: SearchInput) {
  return queryOptions({
    queryKey: ['search', input],
    queryFn: ({ signal }) =>
      call('GET /api/search', {
        signal,
        query: {
          ...searchedBy(input),
          facets: true,
          time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
          page: input.page,
          page_size: searchPageSize,
        },
      }),
    enabled: input.q.trim() !== '',
    placeholderData: keepPreviousData,
  });
}
