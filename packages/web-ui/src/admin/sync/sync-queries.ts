import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import type { Status } from './labels.ts';
import { requestedRun } from './requested-run.ts';

const busyMs = 1_000;
const idleMs = 15_000;
export const runPageSize = 10;

export const statusQuery = queryOptions({
  queryKey: ['directory-sync', 'status'],
  queryFn: async ({ signal }) => {
    const status = await call('GET /api/admin/directory-sync/status', { signal });
    if (status.running || lastRunIdOf(status) !== requestedRun.get()?.lastRunId) requestedRun.set(null);
    return status;
  },
  refetchInterval: ({ state }) => (state.data?.running || requestedRun.get() ? busyMs : idleMs),
});

export function lastRunIdOf(status: Status | undefined): string | null {
  return status?.last_result?.pass_uuid ?? null;
}

/** Shows a requested run as pending until it starts. */
export async function showRequestedRun(client: QueryClient): Promise<void> {
  requestedRun.set({ lastRunId: lastRunIdOf(client.getQueryData(statusQuery.queryKey)) });
  await client.invalidateQueries({ queryKey: ['directory-sync'] });
}

/** @param lastRunId the newest known run: a newer one changes the list */
export function runsQuery(page: number, lastRunId: string | null) {
  return queryOptions({
    queryKey: ['directory-sync', 'runs', page, lastRunId],
    queryFn: ({ signal }) =>
      call('GET /api/admin/directory-sync/passes', { signal, query: { page, page_size: runPageSize } }),
    placeholderData: keepPreviousData,
  });
}

export function runQuery(uuid: string) {
  return queryOptions({
    queryKey: ['directory-sync', 'run', uuid],
    queryFn: ({ signal }) => call('GET /api/admin/directory-sync/passes/{uuid}', { signal, params: { uuid } }),
  });
}

export function decisionsQuery(uuid: string) {
  return queryOptions({
    queryKey: ['directory-sync', 'decisions', uuid],
    queryFn: ({ signal }) => call('GET /api/admin/directory-sync/users/{uuid}', { signal, params: { uuid } }),
  });
}
