import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { askSweep } from '../../api/sweep.ts';
import { ordered } from './ordered.ts';
import type { Status } from './words.ts';

const busyMs = 1_000;
const idleMs = 15_000;
export const passPageSize = 10;

export const statusQuery = queryOptions({
  queryKey: ['sweep', 'status'],
  queryFn: async ({ signal }) => {
    const status = await askSweep('directorySyncStatus', { signal });
    if (status.running || lastOf(status) !== ordered.get()?.after) ordered.set(null);
    return status;
  },
  refetchInterval: ({ state }) => (state.data?.running || ordered.get() ? busyMs : idleMs),
});
export const lastOf = (status: Status | undefined): string | null => status?.last_result?.pass_uuid ?? null;

/** Whoever ordered a pass sees it begin, however long it waits for its turn. */
export const passOrdered = async (client: QueryClient): Promise<void> => {
  ordered.set({ after: lastOf(client.getQueryData(statusQuery.queryKey)) });
  await client.invalidateQueries({ queryKey: ['sweep'] });
};

/** @param last The newest pass that is known: with another one the list is another one. */
export const passesQuery = (page: number, last: string | null) =>
  queryOptions({
    queryKey: ['sweep', 'passes', page, last],
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
