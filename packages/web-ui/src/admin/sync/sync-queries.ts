import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { askSweep } from '../../api/sweep.ts';

const busyMs = 1_000;
const idleMs = 15_000;
export const passPageSize = 10;

export const statusQuery = queryOptions({
  queryKey: ['sweep', 'status'],
  queryFn: ({ signal }) => askSweep('directorySyncStatus', { signal }),
  refetchInterval: ({ state }) => (state.data?.running ? busyMs : idleMs),
});

export const passesQuery = (page: number) =>
  queryOptions({
    queryKey: ['sweep', 'passes', page],
    queryFn: ({ signal }) => askSweep('passes', { signal, query: { page, page_size: passPageSize } }),
    placeholderData: keepPreviousData,
  });

export const passQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['sweep', 'pass', uuid],
    queryFn: ({ signal }) => askSweep('pass', { signal, params: { uuid } }),
  });

export const whyQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['sweep', 'why', uuid],
    queryFn: ({ signal }) => askSweep('explainUser', { signal, params: { uuid } }),
  });
